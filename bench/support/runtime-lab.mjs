// The quickstart's experiment on one runtime, in a folder and with a state folder of its own.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { engineOf } from '../../dist/runtimes/containers/engines.js';
import { readCheckouts } from '../../dist/storage/checkout.js';
import { experimentKey, findExperiment } from '../../dist/storage/experiment-folder.js';
import { writeExperimentEntry } from '../../dist/storage/experiment-entry.js';
import { freezePlan } from '../../dist/storage/frozen-plan.js';
import { stateLayout } from '../../dist/storage/state-layout.js';
import { directTrials } from './trials.mjs';

const EXAMPLE = fileURLToPath(new URL('../../examples/quickstart/', import.meta.url));
const CLIENT = fileURLToPath(new URL('../../bin/llmx-client.js', import.meta.url));
export const BASE_IMAGE = 'llmx-bench-base:latest';
const APP_IMAGE = 'llmx-bench-ledger:latest';
/** Of these the bench makes the checkout itself. */
const LEFT_OUT = /\/(app|results-raw|report|\.apps\.local)$/;

// Trials ask for it in this process, where a worker would.
process.env.LLMX_BASE_IMAGE = BASE_IMAGE;

/** Images are built here; what `run` measures only starts them. */
export async function makeRuntimeLab(runtime) {
  const root = await mkdtemp(join(tmpdir(), 'llmx-bench-'));
  const dir = join(root, 'quickstart');
  const stateDir = join(root, 'state');
  const env = { ...process.env, LLMX_STATE_DIR: stateDir };
  const node = (...argv) => promisify(execFile)(process.execPath, argv, { cwd: dir, env });
  await cp(EXAMPLE, dir, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  await node(join(EXAMPLE, 'make-app.mjs'), dir);
  const file = join(dir, 'experiment.yml');
  const text = (await readFile(file, 'utf8'))
    .replace('runtime: process', `runtime: ${runtime}`)
    .replace('toolchain: node', `toolchain: node\n    image: ${APP_IMAGE}`);
  await writeFile(file, text);
  const isContained = runtime !== 'process';
  if (isContained) {
    await node(CLIENT, 'build', 'base', '--from-host', '--agents', 'none');
    await node(CLIENT, 'build', 'app', 'ledger');
  }
  const plan = await frozenPlan(dir, stateDir);
  const trials = directTrials({ stateDir }, plan, `bench-${process.pid}`);
  let count = 0;
  return {
    runtime,
    stateDir,
    /** Milliseconds of one trial that is graded, from its claim to its record. */
    async run(cell) {
      count += 1;
      // The cell is pending again.
      await rm(join(dir, 'results-raw'), { recursive: true, force: true });
      return trials.run(cell, `bench-${process.pid}/${runtime}/${count}`);
    },
    async end() {
      if (isContained) {
        await promisify(execFile)(process.execPath, [CLIENT, 'clean', '--images', '--yes'], {
          cwd: dir,
          env,
        });
      }
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function frozenPlan(dir, stateDir) {
  const state = stateLayout(stateDir);
  const { experiment } = await findExperiment(dir, {});
  const key = await experimentKey(experiment.name, 'bench', dir);
  const checkouts = await readCheckouts(dir, experiment, {});
  await writeExperimentEntry(state, key, { schemaVersion: 1, folder: dir, checkouts });
  const { frozenId } = await freezePlan({
    state,
    key,
    folder: dir,
    env: { LLMX_BASE_IMAGE: BASE_IMAGE },
  });
  return { experimentKey: key, frozenId };
}

/** Whether the engine answers here. */
export async function answers(kind) {
  return (await engineOf(kind).probe()).ok;
}
