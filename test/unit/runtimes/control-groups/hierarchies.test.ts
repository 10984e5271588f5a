import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  usableHierarchies,
  type Hierarchy,
} from '../../../../src/runtimes/control-groups/hierarchies.js';

/** A user other than root, who owns what the kernel hands over. */
const me = process.getuid?.() ?? 0;
const USER = me === 0 ? 1234 : me;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'llmx-groups-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A group as the kernel shows it, of the user or of nobody here. */
function group(path: string, options: { own?: boolean; controllers?: string } = {}): string {
  const folder = join(root, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cgroup.subtree_control'), `${options.controllers ?? ''}\n`);
  if (options.own === true && me === 0) chownSync(folder, USER, USER);
  return folder;
}

const unified = (mountRoot = '/', options = 'rw'): string =>
  `30 25 0:26 ${mountRoot} ${root} ${options},nosuid shared:4 - cgroup2 cgroup2 rw\n`;
const legacy = (name: string): string =>
  `31 25 0:27 / ${join(root, name)} rw,relatime - cgroup cgroup rw,${name}\n`;

function found(facts: { mountinfo: string; cgroup: string; uid?: number }): readonly Hierarchy[] {
  return usableHierarchies({ uid: USER, ...facts });
}

describe('control groups of our own can be made', () => {
  it('below the root, when nothing sorts processes there', () => {
    group('.');
    const mountinfo = unified();
    expect(found({ mountinfo, cgroup: '0::/\n', uid: 0 })).toEqual([
      { version: 2, base: root, own: root, limits: [] },
    ]);
  });

  it('beside a group that was handed to the user, where limits can be given', () => {
    const above = group('user.slice', { own: true, controllers: 'cpu memory pids' });
    const own = group('user.slice/shell.scope', { own: true });
    expect(found({ mountinfo: unified(), cgroup: '0::/user.slice/shell.scope\n' })).toEqual([
      { version: 2, base: above, own, limits: ['memory', 'pids'] },
    ]);
  });

  it('below a group that was handed to the user alone, without limits', () => {
    group('session.slice', { controllers: 'memory pids' });
    const own = group('session.slice/mine', { own: true });
    // Owned by the user of this test when that is not root, like everything made here.
    const base = me === 0 ? own : join(root, 'session.slice');
    const limits = me === 0 ? [] : ['memory', 'pids'];
    expect(found({ mountinfo: unified(), cgroup: '0::/session.slice/mine\n' })).toEqual([
      { version: 2, base, own, limits },
    ]);
  });

  it('in old hierarchies with a limit to give, after the unified one', () => {
    for (const name of ['pids', 'cpu', '.']) group(name);
    const mountinfo = legacy('pids') + legacy('cpu') + unified();
    expect(found({ mountinfo, cgroup: '8:pids:/\n2:cpu:/\n0::/\n', uid: 0 })).toEqual([
      { version: 2, base: root, own: root, limits: [] },
      { version: 1, base: join(root, 'pids'), own: join(root, 'pids'), limits: ['pids'] },
    ]);
  });

  it('in a mount that shows a part of the tree only', () => {
    const own = group('job', { own: true });
    expect(found({ mountinfo: unified('/ci'), cgroup: '0::/ci/job\n' })).toEqual([
      { version: 2, base: own, own, limits: [] },
    ]);
  });
});

describe('control groups are left alone', () => {
  it('in a group that another program manages, also for root', () => {
    group('system.slice/manager.service');
    const facts = { mountinfo: unified(), cgroup: '0::/system.slice/manager.service\n' };
    expect(found({ ...facts, uid: 0 })).toEqual([]);
  });

  it.each([
    ['the mount can’t be written to', () => unified('/', 'ro'), '0::/\n'],
    ['this process is not in the part that is mounted', () => unified('/ci'), '0::/other\n'],
    ['this process is outside of its namespace', () => unified(), '0::/../..\n'],
    ['there are none', () => '22 1 0:21 / /proc rw - proc proc rw\n', '0::/\n'],
    ['an old hierarchy gives no limit', () => legacy('cpu'), '2:cpu:/\n'],
  ])('when %s', (_why, mountinfo, cgroup) => {
    expect(found({ mountinfo: mountinfo(), cgroup, uid: 0 })).toEqual([]);
  });
});
