import { runtimeOf } from '../../runtimes/registry.js';
import { TRIAL_LABEL } from '../../runtimes/containers/names.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { pathExists } from '../../support/path-exists.js';
import { salvageCredentials } from '../../trial/credentials/salvage.js';
import { deadTrial } from '../../trial/dead-trial.js';
import { removeTrialFolder, trialFiles } from '../../trial/trial-files.js';
import type { EngineStock } from './ask-engines.js';
import { bytesOnDisk } from './disk-use.js';
import { namesIn } from './known-plans.js';
import type { Target } from './target.js';

const OF_DEAD = 'of a trial whose supervisor is dead';
const ALIVE = 'its trial runs';

/** Containers, processes and folders of trials that nobody runs any more, in the order to remove them. */
export async function trialLeftovers(
  layout: StateLayout,
  stateId: string,
  stocks: readonly EngineStock[],
): Promise<readonly Target[]> {
  return [
    ...(await containers(layout, stocks)),
    ...(await processes(layout, stateId)),
    ...(await sandboxes(layout, stateId)),
  ];
}

async function containers(
  layout: StateLayout,
  stocks: readonly EngineStock[],
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const { engine, containers: rows } of stocks) {
    for (const { name, labels, running } of rows) {
      const trialHash = labels[TRIAL_LABEL];
      if (trialHash === undefined) continue;
      const dir = layout.trialDir(trialHash);
      if ((await deadTrial(dir)) === null) continue;
      targets.push({
        ...leftover('container', name, running ? `runs; ${OF_DEAD}` : OF_DEAD),
        engine: engine.kind,
        remove: async () => {
          if ((await deadTrial(dir)) === null) return ALIVE;
          await engine.remove(name);
          return null;
        },
      });
    }
  }
  return targets;
}

async function processes(layout: StateLayout, stateId: string): Promise<readonly Target[]> {
  const runtime = runtimeOf('process');
  const targets: Target[] = [];
  for (const trialHash of await runtime.findLeftovers(stateId)) {
    const dir = layout.trialDir(trialHash);
    if ((await deadTrial(dir)) === null) continue;
    targets.push({
      ...leftover('processes', `processes of trial ${trialHash}`, OF_DEAD),
      remove: async () => {
        if ((await deadTrial(dir)) === null) return ALIVE;
        await runtime.endLeftovers({ trialHash, stateId }, trialFiles(dir).sandboxes);
        const rest = await runtime.findLeftovers(stateId);
        return rest.includes(trialHash) ? 'some of them can not be ended' : null;
      },
    });
  }
  return targets;
}

/** The whole folder where the record is written; else only the sandbox, and the cell's next start does the rest. */
async function sandboxes(layout: StateLayout, stateId: string): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const trialHash of await namesIn(layout.trialsDir)) {
    const dir = layout.trialDir(trialHash);
    const files = trialFiles(dir);
    const dead = await deadTrial(dir);
    if (dead === null || (!dead.isClosed && !(await pathExists(files.sandboxes)))) continue;
    targets.push({
      ...leftover('sandbox', `trials/${trialHash}`, OF_DEAD),
      sizeBytes: await bytesOnDisk(dir),
      remove: async () => {
        const now = await deadTrial(dir);
        if (now === null) return (await pathExists(dir)) ? ALIVE : null;
        const runtime = runtimeOf(now.runtime ?? 'process');
        await salvageCredentials(files);
        await runtime.destroy({ trialHash, stateId }, files.sandboxes);
        if (now.isClosed) await removeTrialFolder(dir);
        return null;
      },
    });
  }
  return targets;
}

function leftover(what: string, name: string, note: string): Omit<Target, 'remove'> {
  return { kind: 'leftovers', what, name, engine: null, sizeBytes: null, note, kept: null };
}
