import { describe, expect, it } from '@jest/globals';
import { templateIdOf } from '../../../../src/apps/template/template-id.js';

const app = { key: 'shop', neutralize: ['CLAUDE.md'], setup: null };
const commits = { base: 'b'.repeat(40), tasks: { t1: '1'.repeat(40), t2: '2'.repeat(40) } };

describe('the id of a template', () => {
  it('does not depend on the order of the tasks', () => {
    const { t1, t2 } = commits.tasks;
    expect(templateIdOf(app, { ...commits, tasks: { t2, t1 } })).toBe(templateIdOf(app, commits));
    expect(templateIdOf(app, commits)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['app', { ...app, key: 'other' }, commits],
    ['neutralized file', { ...app, neutralize: [] }, commits],
    ['set-up', { ...app, setup: 'npm ci' }, commits],
    ['base', app, { ...commits, base: null }],
    ['task', app, { ...commits, tasks: { t1: commits.tasks.t1 } }],
    ['commit', app, { ...commits, tasks: { ...commits.tasks, t1: '3'.repeat(40) } }],
  ])('is another one for another %s', (_what, otherApp, otherCommits) => {
    expect(templateIdOf(otherApp, otherCommits)).not.toBe(templateIdOf(app, commits));
  });
});
