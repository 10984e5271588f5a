import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  endGroup,
  membersOf,
  oomKillsIn,
  startInGroup,
} from '../../src/runtimes/control-groups/group.js';
import {
  findTrialGroups,
  makeTrialGroups,
  ownGroups,
  removeTrialGroups,
  trialsWithGroups,
  type OwnedGroups,
} from '../../src/runtimes/control-groups/trial-groups.js';
import { endMarked, findMarked, type MarkQuery } from '../../src/runtimes/marked-processes.js';
import { withTag } from '../../src/runtimes/process-tag.js';
import { until } from './support/trial-harness.js';

let owned: OwnedGroups | null;
let marker: { stateId: string; trialHash: string };
let count = 0;

beforeEach(() => {
  count += 1;
  marker = { stateId: `test${process.pid}x${count}`, trialHash: 'aa11' };
  owned = makeTrialGroups(marker, 1e9);
});
afterEach(async () => {
  const folders = findTrialGroups(marker);
  await endGroup(folders);
  await removeTrialGroups(folders);
  expect(findTrialGroups(marker)).toEqual([]);
});

const groups = (): OwnedGroups['groups'] => owned?.groups ?? { agent: [], program: [] };

/** A shell that is born in the agent's group, where there is one. */
function shell(script: string): { child: ChildProcess; isInside: boolean } {
  const folders = { inside: groups().agent, back: ownGroups() };
  const { started, isInside } = startInGroup(folders, () =>
    spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true }),
  );
  return { child: started, isInside };
}

describe('a control group', () => {
  it('holds what is started in it and all of its descendants, and not who started it', async () => {
    const own = readFileSync('/proc/self/cgroup', 'utf8');
    const { child, isInside } = shell('setsid sleep 300 & env -i /bin/sleep 300 & sleep 300');
    // On a machine that lets nobody make groups the trial goes on without.
    expect(isInside).toBe(owned !== null);
    expect(readFileSync('/proc/self/cgroup', 'utf8')).toBe(own);
    const members = isInside ? 4 : 0;
    await until('its children', () => membersOf(groups().agent).size === members);
    expect(await endGroup(groups().agent)).toEqual({ found: members, alive: 0 });
    if (!isInside) process.kill(-(child.pid ?? 0), 'SIGKILL');
    await until('their end', () => child.signalCode !== null);
    expect(membersOf(groups().agent).size).toBe(0);
  });

  it('is ended as a whole while it forks as fast as it can, and stays below its limit', async () => {
    if (owned?.limits.includes('pids') !== true) {
      expect(owned?.limits ?? []).not.toContain('pids'); // an endless fork would end this machine
      return;
    }
    const limited = groups().agent.map((folder) => join(dirname(folder), 'pids.max'));
    for (const file of limited.filter((each) => existsSync(each))) writeFileSync(file, '150');
    const bomb = resolve('test/fixtures/hostile-agents/fork-bomb.sh');
    shell(`exec ${bomb} 300`);
    await until('its growth', () => membersOf(groups().agent).size > 100, 30_000);
    const { found, alive } = await endGroup(groups().agent);
    expect(alive).toBe(0);
    expect(found).toBeLessThanOrEqual(150);
    expect(membersOf(groups().agent).size).toBe(0);
  }, 60_000);

  it('is ended also by an old kernel, which can’t kill it as a whole', async () => {
    // The folders of the old hierarchies alone: no cgroup.kill in them.
    const old = groups().agent.filter((folder) => !existsSync(join(folder, 'cgroup.kill')));
    const { child } = shell('setsid sleep 300 & (setsid sleep 300 &) ; sleep 300');
    const members = old.length > 0 ? 4 : 0;
    await until('its children', () => membersOf(old).size === members);
    expect(await endGroup(old)).toEqual({ found: members, alive: 0 });
    if (members === 0) process.kill(-(child.pid ?? 0), 'SIGKILL');
    await until('its end', () => child.signalCode !== null);
  });

  it('has a name by which a later process finds it, and nobody else’s', async () => {
    const other = { ...marker, stateId: `${marker.stateId}y` };
    expect(findTrialGroups(other)).toEqual([]);
    expect(trialsWithGroups(marker.stateId)).toEqual(owned === null ? [] : ['aa11']);
    expect(trialsWithGroups(other.stateId)).toEqual([]);
    await removeTrialGroups(findTrialGroups(marker));
    expect(trialsWithGroups(marker.stateId)).toEqual([]);
  });

  it('that is not empty is not removed', async () => {
    const { child, isInside } = shell('sleep 300');
    await removeTrialGroups(findTrialGroups(marker));
    expect(membersOf(groups().agent).has(child.pid ?? 0)).toBe(isInside);
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await once(child, 'exit');
  });

  it('counts nobody as killed for lack of memory when nobody was', () => {
    expect(oomKillsIn([...groups().agent, ...groups().program, '/nowhere'])).toBe(0);
  });
});

describe('processes of a trial without a control group', () => {
  const query = (): MarkQuery => ({ ...marker, root: null });

  /** Started as a trial is, but in no group. */
  function tagged(script: string, env: Record<string, string> = {}): ChildProcess {
    const [program = '', ...args] = withTag(['/bin/sh', '-c', script], marker);
    return spawn(program, args, { cwd: '/', env, stdio: 'ignore', detached: true });
  }

  it('are found by their tag when they kept nothing else of it', async () => {
    const path = process.env['PATH'] ?? '';
    const child = tagged(`PATH='${path}'; env -i setsid nohup sleep 300 & exit 0`, { PATH: path });
    await once(child, 'exit');
    const found = await until('the daemon', async () => {
      const marked = await findMarked(query());
      return marked.length > 0 ? marked : null;
    });
    expect(found).toHaveLength(1);
    expect(await findMarked({ ...query(), trialHash: 'bb22' })).toEqual([]);
    expect(await findMarked({ ...query(), stateId: 'other' })).toEqual([]);
    expect(await endMarked(query(), 0)).toEqual({ found: 1, alive: 0, proof: 'best-effort' });
    expect(await findMarked(query())).toEqual([]);
  });

  it('show that a group does not hold the trial', async () => {
    tagged('sleep 300');
    await until('the process', async () => (await findMarked(query())).length > 0);
    const ended = await endMarked({ ...query(), groups: findTrialGroups(marker) }, 0);
    expect(ended).toMatchObject({ alive: 0, proof: 'best-effort' });
  });
});
