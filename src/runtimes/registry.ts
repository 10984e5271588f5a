import type { Experiment, RuntimeKind } from '../domain/experiment/experiment.js';
import { LlmxError } from '../errors/llmx-error.js';
import { containerRuntime } from './containers/container-runtime.js';
import { engineOf } from './containers/engines.js';
import { processRuntime } from './process.js';
import type { Runtime } from './runtime.js';

const RUNTIMES: Partial<Record<RuntimeKind, Runtime>> = {
  apple: containerRuntime(engineOf('apple')),
  docker: containerRuntime(engineOf('docker')),
  podman: containerRuntime(engineOf('podman')),
  process: processRuntime,
};

/** Kinds that this version can run. */
export const AVAILABLE_RUNTIMES: readonly RuntimeKind[] = ['apple', 'docker', 'podman', 'process'];

/** Whether a trial sees only what is brought into its sandbox. */
export function isContained(kind: RuntimeKind): boolean {
  return kind !== 'process';
}

/** @throws LlmxError `runtime_unavailable` */
export function runtimeOf(kind: RuntimeKind): Runtime {
  const runtime = RUNTIMES[kind];
  if (runtime === undefined) {
    throw new LlmxError('runtime_unavailable', { kind, available: AVAILABLE_RUNTIMES.join(', ') });
  }
  return runtime;
}

/** The runtime asked for, or the first that works here. */
export async function chooseRuntime(
  experiment: Pick<Experiment, 'runtime' | 'defaultRuntime'>,
): Promise<RuntimeKind> {
  const wanted = experiment.runtime ?? experiment.defaultRuntime;
  if (wanted !== null) return runtimeOf(wanted).kind;
  for (const kind of AVAILABLE_RUNTIMES) {
    if ((await runtimeOf(kind).probe()).ok) return kind;
  }
  throw new LlmxError('runtime_unavailable', {
    kind: process.platform,
    available: AVAILABLE_RUNTIMES.join(', '),
  });
}
