import { describe, expect, it } from '@jest/globals';
import { installedVersion, pinProblem, versionIn } from '../../../src/agents/cli-version.js';

describe('the version that a CLI says it is', () => {
  it.each([
    ['2.1.332 (Claude Code)\n', '2.1.332'],
    ['codex-cli 0.171.0\n', '0.171.0'],
    ['1.18.33\n', '1.18.33'],
    ['opencode 2.0.0-beta.3\n', '2.0.0-beta.3'],
    ['no number', null],
  ])('in “%s” is %s', (text, version) => {
    expect(versionIn(text)).toBe(version);
  });

  it('is not known of a program that is not there', async () => {
    expect(await installedVersion('claude', { PATH: '/nowhere' })).toBeNull();
  });

  it('is nothing that other agents have', async () => {
    expect(await installedVersion('command', process.env)).toBeNull();
  });
});

describe('a pin', () => {
  it.each([
    ['claude', { claude: '2.1.332' }, { claude: '2.1.332' }, null],
    ['claude', { claude: '2.1' }, { claude: '2.1.332' }, null],
    ['claude', { claude: '2.1.3' }, { claude: '2.1.332' }, /pinned to 2.1.3, but 2.1.332/],
    ['codex', { codex: '0.171.0' }, {}, /not known/],
    ['codex', { claude: '1' }, { codex: '2' }, null],
    ['nop', { claude: '1' }, {}, null],
  ] as const)('of %s: %j against %j', (kind, pins, versions, problem) => {
    const found = pinProblem(kind, pins, versions);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
  });
});
