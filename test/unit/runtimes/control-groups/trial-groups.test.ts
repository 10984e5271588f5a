import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oomKillsIn } from '../../../../src/runtimes/control-groups/group.js';
import type { Hierarchy } from '../../../../src/runtimes/control-groups/hierarchies.js';
import { makeTrialGroups } from '../../../../src/runtimes/control-groups/trial-groups.js';

const MARKER = { stateId: 'state', trialHash: 'trial' };

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'llmx-groups-'));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

/** The files that the kernel would put into the trial's group. */
function withFiles(...names: readonly string[]): string {
  const folder = join(base, 'llmx-state-trial');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), 'max\n');
  return folder;
}

const hierarchy = (version: 1 | 2, limits: Hierarchy['limits']): Hierarchy => ({
  version,
  base,
  own: base,
  limits,
});

describe('the limits of a trial', () => {
  it('are written to the group that holds all of it, without swap to get around them', () => {
    const folder = withFiles('memory.max', 'memory.swap.max', 'pids.max', 'cgroup.subtree_control');
    const owned = makeTrialGroups(MARKER, 6e9, [hierarchy(2, ['memory', 'pids'])]);
    expect(owned).toEqual({
      groups: { program: [join(folder, 'program')], agent: [join(folder, 'agent')] },
      limits: ['memory', 'pids'],
    });
    const content = (name: string): string => readFileSync(join(folder, name), 'utf8');
    expect(content('memory.max')).toBe('6000000000');
    expect(content('memory.swap.max')).toBe('0');
    expect(content('pids.max')).toBe('4096');
    expect(content('cgroup.subtree_control')).toBe('+memory');
  });

  it('have other names in an old hierarchy', () => {
    const folder = withFiles('memory.limit_in_bytes', 'memory.memsw.limit_in_bytes');
    expect(makeTrialGroups(MARKER, 6e9, [hierarchy(1, ['memory'])])?.limits).toEqual(['memory']);
    for (const name of ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes']) {
      expect(readFileSync(join(folder, name), 'utf8')).toBe('6000000000');
    }
  });

  it('are not claimed where the kernel has no file for them', () => {
    withFiles();
    expect(makeTrialGroups(MARKER, 6e9, [hierarchy(2, ['memory', 'pids'])])?.limits).toEqual([]);
  });

  it('are not there at all where no group can be made', () => {
    const nowhere = { ...hierarchy(2, ['pids']), base: join(base, 'file') };
    writeFileSync(nowhere.base, '');
    expect(makeTrialGroups(MARKER, 6e9, [nowhere])).toBeNull();
    expect(makeTrialGroups(MARKER, 6e9, [])).toBeNull();
  });
});

describe('processes that were killed for lack of memory', () => {
  it('are counted from either version’s file', () => {
    const folder = withFiles();
    writeFileSync(join(folder, 'memory.events'), 'low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n');
    expect(oomKillsIn([folder])).toBe(2);
    rmSync(join(folder, 'memory.events'));
    writeFileSync(
      join(folder, 'memory.oom_control'),
      'oom_kill_disable 0\nunder_oom 0\noom_kill 5\n',
    );
    expect(oomKillsIn([folder])).toBe(5);
  });
});
