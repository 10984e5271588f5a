import { readdir } from 'node:fs/promises';
import type { StateLayout } from '../storage/state-layout.js';
import { isErrno } from '../support/atomic-file.js';
import { ownerRuns, readOwner } from './owner.js';
import { readSupervisorSpec } from './supervisor-spec.js';
import { readRecord, trialFiles } from './trial-files.js';

/** A trial of this state folder whose supervisor runs. */
export interface LiveTrial {
  readonly workflowId: string | null;
  /** `task / agent / condition` */
  readonly label: string;
  /** `waiting` while another trial has the host. */
  readonly phase: string;
}

export async function liveTrials(layout: StateLayout): Promise<readonly LiveTrial[]> {
  const names = await readdir(layout.trialsDir).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  });
  const found = await Promise.all(names.map((name) => liveTrial(layout.trialDir(name))));
  return found.flat();
}

async function liveTrial(dir: string): Promise<readonly LiveTrial[]> {
  const files = trialFiles(dir);
  if (!ownerRuns(await readOwner(files.owner))) return [];
  const spec = await readSupervisorSpec(files.spec);
  if (spec === null) return []; // closed just now
  const { task, agent, condition, workflow_id: workflowId } = spec.facts;
  const phase = (await readRecord(files.progress))?.['phase'];
  return [
    {
      workflowId,
      label: `${task} / ${agent} / ${condition}`,
      phase: typeof phase === 'string' ? phase : 'starting',
    },
  ];
}

/** What holds the host while the trial of this grid waits for it; null when none of it waits. */
export function waitingFor(trials: readonly LiveTrial[], workflowId: string): string | null {
  const waits = trials.some(
    (trial) => trial.workflowId === workflowId && trial.phase === 'waiting',
  );
  if (!waits) return null;
  const holder = trials.find((trial) => trial.phase !== 'waiting');
  // The lock is one for the whole machine, the records are this user's.
  if (holder === undefined) return 'a trial of another user or state folder';
  return holder.workflowId ?? `run-trial ${holder.label}`;
}
