import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A limit that the kernel can put on a group of processes. */
export type LimitName = 'memory' | 'pids';

const LIMITS: readonly LimitName[] = ['memory', 'pids'];

/** A tree of control groups in which this process may make some of its own. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Folder below which groups are made. */
  readonly base: string;
  /** Group in which this process is. */
  readonly own: string;
  /** Limits that groups below the base can have. */
  readonly limits: readonly LimitName[];
}

/** As the kernel shows them in /proc/self. */
export interface GroupFacts {
  readonly mountinfo: string;
  readonly cgroup: string;
  readonly uid: number;
}

/**
 * Hierarchies that are nobody else's to arrange, the unified one (version 2) first: this process sits
 * at the root, so that nothing sorts processes there, or the group was handed over to this user.
 * Whatever else a program finds writable (as root, everything) belongs to the manager that made it.
 */
export function usableHierarchies(facts: GroupFacts | null = readFacts()): readonly Hierarchy[] {
  if (facts === null) return [];
  const found = mountsOf(facts.mountinfo).flatMap((mount) => {
    const path = membershipIn(mount, facts.cgroup);
    return path === null ? [] : (hierarchyAt(mount, path, facts.uid) ?? []);
  });
  return found.sort((a, b) => b.version - a.version);
}

function readFacts(): GroupFacts | null {
  if (process.platform !== 'linux') return null;
  try {
    return {
      mountinfo: readFileSync('/proc/self/mountinfo', 'utf8'),
      cgroup: readFileSync('/proc/self/cgroup', 'utf8'),
      uid: process.getuid?.() ?? 0,
    };
  } catch {
    return null; // a kernel without control groups, or a /proc that hides them
  }
}

interface Mount {
  readonly version: 1 | 2;
  readonly folder: string;
  /** Group that is mounted there. */
  readonly root: string;
  /** Version 1 only. */
  readonly controllers: readonly string[];
}

function mountsOf(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line): Mount[] => {
    const [left = '', right = ''] = line.split(' - ');
    const [, , , root, folder, options = ''] = left.split(' ');
    const [type, , superOptions = ''] = right.split(' ');
    if (root === undefined || folder === undefined || options.split(',').includes('ro')) return [];
    if (type === 'cgroup2') return [{ version: 2, folder, root, controllers: [] }];
    const controllers = superOptions.split(',');
    return type === 'cgroup' ? [{ version: 1, folder, root, controllers }] : [];
  });
}

/** Path of this process's group below the mount, or null when it is not in there. */
function membershipIn(mount: Mount, cgroup: string): string | null {
  for (const line of cgroup.split('\n')) {
    const [, id, names = '', path = ''] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    const isIt =
      mount.version === 2
        ? id === '0' && names === ''
        : names.split(',').some((name) => mount.controllers.includes(name));
    if (!isIt || path.includes('/..')) continue;
    if (mount.root === '/') return path;
    return `${path}/`.startsWith(`${mount.root}/`) ? path.slice(mount.root.length) || '/' : null;
  }
  return null;
}

function hierarchyAt(mount: Mount, path: string, uid: number): Hierarchy | null {
  const own = path === '/' ? mount.folder : join(mount.folder, path);
  const base = path === '/' ? own : baseOf(mount, own, uid);
  if (base === null) return null;
  const controllers = mount.version === 2 ? delegatedControllers(base) : mount.controllers;
  const limits = LIMITS.filter((name) => controllers.includes(name));
  // Without limits to give, an old hierarchy is of no use; the unified one tells who is in a group.
  return mount.version === 1 && limits.length === 0
    ? null
    : { version: mount.version, base, own, limits };
}

function baseOf(mount: Mount, own: string, uid: number): string | null {
  if (uid === 0 || !isOwnedBy(own, uid)) return null;
  // Version 2 gives limits only to groups beside this one: it holds processes itself.
  const above = dirname(own);
  const isBetter = mount.version === 2 && isOwnedBy(above, uid);
  return isBetter && delegatedControllers(above).length > 0 ? above : own;
}

function isOwnedBy(folder: string, uid: number): boolean {
  try {
    return statSync(folder).uid === uid;
  } catch {
    return false; // not to be seen from here
  }
}

function delegatedControllers(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8').trim().split(/\s+/);
  } catch {
    return [];
  }
}
