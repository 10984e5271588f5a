import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_PROCESSES } from '../../domain/trial/limits.js';
import type { TrialGroups } from '../../domain/trial/program-contract.js';
import type { TrialMarker } from '../runtime.js';
import { membersOf, removeGroup } from './group.js';
import { usableHierarchies, type Hierarchy, type LimitName } from './hierarchies.js';

export interface OwnedGroups {
  readonly groups: TrialGroups;
  /** Limits in force. */
  readonly limits: readonly LimitName[];
}

/**
 * Makes the groups of a trial, or finds them as they are. The names carry state folder and trial, so
 * that a later process knows whose they were.
 * @returns null where none can be made
 */
export function makeTrialGroups(
  marker: TrialMarker,
  memoryBytes: number,
  hierarchies = usableHierarchies(),
): OwnedGroups | null {
  const made = hierarchies.filter((hierarchy) => makeIn(hierarchy, marker));
  if (made.length === 0) return null;
  const trial = made.map(({ base }) => join(base, nameOf(marker)));
  const wanted = { memory: memoryBytes, pids: MAX_PROCESSES };
  return {
    groups: groupsBelow(trial),
    limits: made.flatMap((hierarchy, at) =>
      hierarchy.limits.filter((name) => limit(trial[at] ?? '', name, wanted[name])),
    ),
  };
}

/** Where this process itself is, in the hierarchies that trials use. */
export function ownGroups(): readonly string[] {
  return usableHierarchies().map(({ own }) => own);
}

/** Folders of a trial's groups that are there now, made by whichever process. */
export function findTrialGroups(marker: TrialMarker): readonly string[] {
  return usableHierarchies()
    .map(({ base }) => join(base, nameOf(marker)))
    .filter((folder) => existsSync(folder));
}

/** Trials of a state folder that have groups. */
export function trialsWithGroups(stateId: string): readonly string[] {
  const prefix = nameOf({ stateId, trialHash: '' });
  const names = usableHierarchies().flatMap(({ base }) => readdirSync(base));
  const own = names.filter((name) => name.startsWith(prefix));
  return [...new Set(own.map((name) => name.slice(prefix.length)))];
}

/** Removes them, or leaves them to a later start when something in there can't be ended. */
export async function removeTrialGroups(trial: readonly string[]): Promise<void> {
  if (membersOf(trial).size === 0) await removeGroup(trial);
}

function nameOf({ stateId, trialHash }: TrialMarker): string {
  return `llmx-${stateId}-${trialHash}`;
}

function groupsBelow(trial: readonly string[]): TrialGroups {
  const below = (name: string): string[] => trial.map((folder) => join(folder, name));
  return { program: below('program'), agent: below('agent') };
}

function makeIn({ base, version, limits }: Hierarchy, marker: TrialMarker): boolean {
  const trial = join(base, nameOf(marker));
  try {
    mkdirSync(trial, { recursive: true });
    // So that the kernel counts for program and agent each whom it killed.
    if (version === 2 && limits.includes('memory')) {
      tryWrite(join(trial, 'cgroup.subtree_control'), '+memory');
    }
    const { program, agent } = groupsBelow([trial]);
    for (const folder of [...program, ...agent]) mkdirSync(folder, { recursive: true });
    return true;
  } catch {
    return false; // writable for others only, or mounted read-only
  }
}

/** Each limit has a name of its own in either version; swap would only make the memory limit soft. */
const LIMIT_FILES: Readonly<Record<LimitName, readonly string[]>> = {
  memory: ['memory.max', 'memory.limit_in_bytes'],
  pids: ['pids.max'],
};

function limit(folder: string, name: LimitName, value: number): boolean {
  const file = LIMIT_FILES[name].map((each) => join(folder, each)).find((each) => existsSync(each));
  if (file === undefined || !tryWrite(file, value)) return false;
  if (name === 'memory') {
    tryWrite(join(folder, 'memory.swap.max'), 0);
    tryWrite(join(folder, 'memory.memsw.limit_in_bytes'), value);
  }
  return true;
}

function tryWrite(file: string, value: number | string): boolean {
  try {
    if (!existsSync(file)) return false;
    writeFileSync(file, String(value));
    return true;
  } catch {
    return false; // less than the group uses already, or not handed over
  }
}
