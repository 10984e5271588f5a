import { describe, expect, it } from '@jest/globals';
import { contaminationOf, type StartFacts } from '../../../../src/domain/trial/hermeticity.js';
import { isModelAsked } from '../../../../src/domain/trial/model-match.js';

const CLEAN: StartFacts = {
  cliVersion: '2.1.332',
  mcpServers: [],
  memoryPaths: { auto: '/home/agent/.claude/projects/-work/memory/' },
  userConfig: [],
};
const EXPECTED = { cliVersion: '2.1.332', homeDir: '/home/agent' };

describe('a start', () => {
  it.each<readonly [string, Partial<StartFacts>, string | null]>([
    ['with nothing of anybody else', {}, null],
    [
      'with a server',
      { mcpServers: [{ name: 'db', status: 'connected' }] },
      'MCP server db (connected)',
    ],
    [
      'with a server that may still come',
      { mcpServers: [{ name: 'db', status: 'pending' }] },
      'MCP server db (pending)',
    ],
    ['with a server that failed', { mcpServers: [{ name: 'db', status: 'failed' }] }, null],
    [
      'with shared memories',
      { memoryPaths: { auto: '/mnt/shared/memory' } },
      'memories from /mnt/shared/memory',
    ],
    [
      'with memories that lead out',
      { memoryPaths: { auto: '/home/agent/../me' } },
      'memories from /home/agent/../me',
    ],
    [
      'with a home of a longer name',
      { memoryPaths: { auto: '/home/agent2/x' } },
      'memories from /home/agent2/x',
    ],
    ['with a plugin', { userConfig: ['plugin mine'] }, 'plugin mine'],
    ['with another version', { cliVersion: '2.2.0' }, 'version 2.2.0 and not 2.1.332'],
    ['that tells no version', { cliVersion: null }, null],
  ])('%s', (_what, changes, wanted) => {
    expect(contaminationOf({ ...CLEAN, ...changes }, EXPECTED)).toBe(wanted);
  });

  it('is not measured by what nobody asked for', () => {
    const start = { ...CLEAN, cliVersion: '9', memoryPaths: { auto: '/anywhere' } };
    expect(contaminationOf(start, {})).toBeNull();
  });
});

describe('the model that was asked for', () => {
  it.each([
    ['claude-opus-5', 'claude-opus-5', true],
    ['claude-opus-5', 'claude-opus-5-20261101', true],
    ['claude-opus-5[1m]', 'claude-opus-5', true],
    ['Claude-Opus-5', 'claude-opus-5', true],
    ['opus', 'claude-opus-5-5', true],
    ['default', 'claude-sonnet-5', true],
    ['anthropic/claude-opus-5', 'claude-opus-5', true],
    ['gpt-5.5', 'gpt-5.5-2026-08-01', true],
    ['claude-sonnet-5-latest', 'claude-sonnet-5-20261101', true],
    ['claude-opus-5', 'us.anthropic.claude-opus-5-20261101-v1:0', true],
    ['claude-opus-5', 'claude-opus-5@20261101', true],
    ['mock-model', 'mock-model-mini', false],
    ['claude-opus-5', 'claude-opus-5-5', false],
    ['opus', 'claude-sonnet-5', false],
    ['claude-opus-5', 'claude-haiku-5', false],
    ['gpt-5.5', 'gpt-5.5-mini', false],
  ])('%s, when %s answers: %s', (asked, served, wanted) => {
    expect(isModelAsked(asked, served)).toBe(wanted);
  });
});
