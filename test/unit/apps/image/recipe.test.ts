import { describe, expect, it } from '@jest/globals';
import { hostNeeds, wantedAgents, wantedRuby } from '../../../../src/apps/image/base-recipe.js';
import { baseImage, taskImage } from '../../../../src/apps/image/names.js';
import { parseExperiment } from '../../../../src/domain/experiment/parse-experiment.js';
import type { Experiment } from '../../../../src/domain/experiment/experiment.js';

function experiment(app: string, more = ''): Experiment {
  const text = `name: x
${more}
agents: {a: {kind: codex}, oracle: }
conditions: [plain]
apps:
  shop: {branch_prefix: b, test_command: t, ${app}}
tasks:
  - {id: x, app: shop, test_file: x.test, solution: x.patch}
`;
  const parsed = parseExperiment(text, { env: {} });
  if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join('\n'));
  return parsed.experiment;
}

describe('what a base image holds', () => {
  it('is every agent outside an experiment, but none of the host’s own', () => {
    expect(Object.keys(wantedAgents(null, null, 'image'))).toEqual(['claude', 'codex', 'opencode']);
    expect(wantedAgents(null, null, 'host')).toEqual({});
  });

  it('is the agents of the experiment, at its pins', () => {
    const pinned = experiment('toolchain: none', 'pins: {codex: 0.1.2}');
    expect(wantedAgents(null, pinned, 'image')).toEqual({ codex: '0.1.2' });
  });

  it('is the agents asked for, whatever the experiment says', () => {
    const subject = experiment('toolchain: none');
    expect(Object.keys(wantedAgents('opencode, claude', subject, 'host'))).toEqual([
      'claude',
      'opencode',
    ]);
    expect(wantedAgents('none', subject, 'image')).toEqual({});
    expect(() => wantedAgents('claud', subject, 'image')).toThrow(/unknown claud/);
  });

  it('is the ruby of the pins, else the one of the apps', () => {
    const ruby = 'toolchain: ruby, ruby: 3.4, database: sqlite3';
    expect(wantedRuby(experiment(ruby))).toBe('3.4');
    expect(wantedRuby(experiment(ruby, 'pins: {ruby: 3.4.1}'))).toBe('3.4.1');
    expect(wantedRuby(experiment('toolchain: node'))).toBeNull();
    expect(wantedRuby(null)).toBeNull();
  });

  it.each([
    ['toolchain: none', []],
    ['toolchain: node', []],
    ['toolchain: node, setup: npm ci', ['npm']],
    ['toolchain: python', ['python']],
    ['toolchain: none, database: postgresql', ['postgresql']],
  ])('brings of the host only what an app with “%s” needs', (app, needs) => {
    expect(hostNeeds(experiment(app))).toEqual(needs);
  });

  it('refuses to bring a ruby of the host', () => {
    const ruby = experiment('toolchain: ruby, ruby: 3.4, database: sqlite3');
    expect(() => hostNeeds(ruby)).toThrow(/--from-host brings no ruby/);
  });
});

describe('the names of images', () => {
  it('has a default for the base image, which a variable replaces', () => {
    expect(baseImage({})).toBe('llmx-base:latest');
    expect(baseImage({ LLMX_BASE_IMAGE: 'mine:1' })).toBe('mine:1');
  });

  it.each([
    ['llmx-app-shop:latest', 'llmx-app-shop:task-t1'],
    ['llmx-app-shop', 'llmx-app-shop:task-t1'],
    ['registry.example.test:5000/team/shop:v2', 'registry.example.test:5000/team/shop:task-t1'],
    ['registry.example.test:5000/team/shop', 'registry.example.test:5000/team/shop:task-t1'],
  ])('tags the image of a task of %s with the task', (image, expected) => {
    expect(taskImage(image, 't1')).toBe(expected);
  });

  it('keeps tags in their limit without mixing tasks up', () => {
    const [a, b] = ['a', 'b'].map((end) => taskImage('x:1', 't'.repeat(190) + end));
    expect(a?.slice('x:'.length)).toHaveLength(128);
    expect(a).not.toBe(b);
  });
});
