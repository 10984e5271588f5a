import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { isErrno } from '../../support/atomic-file.js';

/**
 * Starts something in a group: a process is born where its parent is, so this process goes there and
 * comes back. Nothing else may be started in between, hence all of it at once.
 */
export function startInGroup<T>(
  folders: { readonly inside: readonly string[]; readonly back: readonly string[] },
  start: () => T,
): { readonly started: T; readonly isInside: boolean } {
  const isInside = folders.inside.length > 0 && tryMove(folders.inside);
  try {
    return { started: start(), isInside };
  } finally {
    if (isInside) move(folders.back);
    else tryMove(folders.back);
  }
}

/** False where the group is gone or nobody may enter it: then the scan has to do. */
function tryMove(folders: readonly string[]): boolean {
  try {
    move(folders);
    return true;
  } catch {
    return false;
  }
}

function move(folders: readonly string[]): void {
  for (const folder of folders) writeFileSync(join(folder, 'cgroup.procs'), String(process.pid));
}

/** Running processes in the group and in groups below it; a folder that is gone holds none. */
export function membersOf(folders: readonly string[]): ReadonlySet<number> {
  const pids = new Set<number>();
  for (const folder of folders.flatMap(treeOf)) {
    for (const pid of readLines(join(folder, 'cgroup.procs'))) pids.add(Number(pid));
  }
  return pids;
}

/** Sends KILL to all at once where the kernel can, and stops the forking where it can't. */
export function killGroup(folders: readonly string[]): void {
  if (membersOf(folders).has(process.pid)) return; // never this process itself
  for (const folder of folders) {
    const killFile = join(folder, 'cgroup.kill');
    const limitFile = join(folder, 'pids.max');
    if (existsSync(killFile)) writeIfThere(killFile, '1');
    else if (existsSync(limitFile)) writeIfThere(limitFile, '0');
  }
}

/** A machine that is busy with what it has to end needs its time. */
export const KILL_DEADLINE_MS = 10_000;

/** Ends all in the group with KILL and waits until it is seen empty. */
export async function endGroup(
  folders: readonly string[],
): Promise<{ readonly found: number; readonly alive: number }> {
  const found = membersOf(folders).size;
  const deadline = performance.now() + KILL_DEADLINE_MS;
  for (;;) {
    const rest = membersOf(folders);
    if (rest.size === 0 || performance.now() > deadline) return { found, alive: rest.size };
    killGroup(folders);
    for (const pid of rest) kill(pid);
    await delay(1);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Gone since the look, or not ours to signal: the next look tells.
    if (!isErrno(error, 'ESRCH') && !isErrno(error, 'EPERM')) throw error;
  }
}

/** Removes empty groups, deepest first. What the kernel has not let go of yet is tried again for a while. */
export async function removeGroup(folders: readonly string[]): Promise<void> {
  const deadline = performance.now() + 1_000;
  for (const folder of folders) {
    while (!removeTree(folder) && performance.now() < deadline) await delay(10);
  }
}

function removeTree(folder: string): boolean {
  for (const each of [...treeOf(folder)].reverse()) {
    try {
      rmdirSync(each);
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) return false;
    }
  }
  return true;
}

/** Processes that the kernel killed at the group's memory limit; 0 where memory is not limited. */
export function oomKillsIn(folders: readonly string[]): number {
  const counts = folders.flatMap((folder) =>
    ['memory.events', 'memory.oom_control'].flatMap((name) =>
      readLines(join(folder, name)).flatMap((line) => /^oom_kill (\d+)$/.exec(line)?.[1] ?? []),
    ),
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** The folder and all below it; control files are no folders. */
function treeOf(folder: string): readonly string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    return [folder, ...below.flatMap(({ name }) => treeOf(join(folder, name)))];
  } catch {
    return []; // removed in between
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return []; // no such group, or no such controller in it
  }
}

function writeIfThere(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // The group is gone, or can't be told: whoever is left is found and signalled one by one.
  }
}
