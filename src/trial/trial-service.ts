import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { PlanRef, RunTrialInput, RunTrialResult } from '../domain/grid/contracts.js';
import { KEY_SETTINGS } from '../agents/key-apis.js';
import { baseEnv } from '../runtimes/base-env.js';
import { clientEnv } from '../runtimes/containers/client-env.js';
import { chooseRuntime, isContained } from '../runtimes/registry.js';
import { EXPERIMENT_FILE } from '../storage/experiment-folder.js';
import { pathExists } from '../support/path-exists.js';
import { LlmxError } from '../errors/llmx-error.js';
import { readExperimentEntry } from '../storage/experiment-entry.js';
import { frozenPlanReader } from '../storage/frozen-plan-reader.js';
import { asWriteFault } from '../storage/results-fault.js';
import { cellDir } from '../storage/results-tree.js';
import type { StateLayout } from '../storage/state-layout.js';
import { testSwitches } from '../support/test-switches.js';
import { attachOrStart } from './attach-or-start.js';
import { readClaims } from './claims.js';
import { stateIdOf } from './ids.js';
import { stopTrial } from './stop-trial.js';
import { frozenName, trialRequest } from './plan-request.js';
import { hasBranch, startOf, type PlanFiles } from './plan-template.js';
import type { TrialInput, TrialServiceOptions } from './service-input.js';
import { trialResult } from './trial-result.js';
import type { TrialHost } from './trial-request.js';

export interface TrialService {
  /** Gives a cell its attempt; see {@link attachOrStart}. */
  run(
    input: TrialInput,
    options?: {
      /** Lets go of the trial, which goes on. */
      readonly signal?: AbortSignal;
      readonly onProgress?: (phase: string) => void;
    },
  ): Promise<RunTrialResult>;
  /** Ends the request: what runs for it is recorded as `cancelled`, nothing new is started. Does not wait. */
  stop(input: Pick<RunTrialInput, 'plan' | 'cell' | 'requestId'>): Promise<void>;
  /** Makes what the trials of an app start from, once per content; with containers an image for each task. */
  buildApp(plan: PlanRef, app: string, tasks: readonly string[]): Promise<void>;
}

const HOST_LOCK = 'host-trial';

export function createTrialService(options: TrialServiceOptions): TrialService {
  const { state } = options;
  const openPlan = planReader(state);
  const running = new Map<string, AbortController>();
  return {
    run: async (input, { signal, onProgress } = {}) => {
      const cancel = new AbortController();
      running.set(input.requestId, cancel);
      try {
        const plan = await openPlan(input.plan);
        const request = await trialRequest(plan, input, options);
        const answer = await attachOrStart(request, await trialHost(options), {
          cancel: cancel.signal,
          ...(signal === undefined ? {} : { signal }),
          onProgress: ({ phase }) => onProgress?.(phase),
        });
        return await trialResult(answer, frozenName(plan, request.promptFile));
      } catch (error) {
        throw await asTrialFault(error, state, input.plan.experimentKey);
      } finally {
        if (running.get(input.requestId) === cancel) running.delete(input.requestId);
      }
    },
    stop: async (input) => {
      // First the call of this process, which may be about to start; then the trial, whoever started it.
      running.get(input.requestId)?.abort();
      const { folder } = await readExperimentEntry(state, input.plan.experimentKey);
      const { open } = await readClaims(cellDir(folder, input.cell));
      const own = open.filter(({ claim }) => claim.requestId === input.requestId);
      for (const { claim } of own) await stopTrial(state.trialDir(claim.trialHash));
    },
    buildApp: async (ref, key, tasks) => {
      const plan = await openPlan(ref);
      const app = plan.experiment.apps.find((known) => known.key === key);
      if (app === undefined) throw new Error(`the frozen plan has no app ${key}`);
      const runtime = await chooseRuntime(plan.experiment);
      // Images may have been removed since they were recorded: the engine is asked once a grid.
      await startOf(plan, state, app, { runtime, verify: true });
      if (!isContained(runtime)) return;
      for (const task of tasks) {
        // A task without a branch fails by itself.
        if (hasBranch(plan, app, task))
          await startOf(plan, state, app, { runtime, task, verify: true });
      }
    },
  };
}

/** What a disk refuses, as an error that says which folder is to be mended. */
async function asTrialFault(error: unknown, state: StateLayout, key: string): Promise<unknown> {
  const entry = await readExperimentEntry(state, key).catch(() => null); // then that is the error
  if (entry === null) return error;
  return asWriteFault(error, { experimentDir: entry.folder, stateRoot: state.root });
}

/** The plan, and where the host has its experiment now. */
function planReader(state: StateLayout): (ref: PlanRef) => Promise<PlanFiles> {
  const openPlan = frozenPlanReader(state);
  return async (ref) => {
    const entry = await readExperimentEntry(state, ref.experimentKey);
    // Moved or removed meanwhile: results must not go to a folder made anew in its old place.
    if (!(await pathExists(join(entry.folder, EXPERIMENT_FILE)))) {
      throw new LlmxError('experiment_unknown_here', { key: ref.experimentKey });
    }
    return { ...(await openPlan(ref)), entry };
  };
}

async function trialHost(options: TrialServiceOptions): Promise<TrialHost> {
  const { state, supervisorFile, hostLock = HOST_LOCK } = options;
  await mkdir(state.trialsDir, { recursive: true, mode: 0o700 });
  return {
    layout: state,
    stateId: stateIdOf(state.root),
    supervisorFile,
    supervisorEnv: {
      ...baseEnv(process.env),
      ...clientEnv(),
      ...connectionEnv(process.env),
      ...testSwitches(process.env),
      HOME: process.env['HOME'] ?? '/',
    },
    hostLock,
  };
}

/**
 * What the supervisor's own connections need: the engine's facts, hosts that a person allows, a proxy, and how
 * agents log in. Keys go no further than to it.
 */
const SUPERVISOR_VARIABLES =
  /^(LLMX_CACHE_DIR|LLMX_MODEL_HOSTS|LLMX_AUTH_DIR|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|https?_proxy|ALL_PROXY|all_proxy|NO_PROXY|no_proxy)$/;

function connectionEnv(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || !(SUPERVISOR_VARIABLES.test(name) || KEY_SETTINGS.has(name))
        ? []
        : [[name, value]],
    ),
  );
}
