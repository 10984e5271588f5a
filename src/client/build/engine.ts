import { RUNTIME_KINDS, type RuntimeKind } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ContainerEngine } from '../../runtimes/containers/engine.js';
import { engineOf, isEngineKind } from '../../runtimes/containers/engines.js';
import { freeGb } from '../../support/free-disk.js';
import type { Environment } from '../../support/paths.js';

/**
 * The engine asked for, else the experiment's, else the first that works here.
 * @throws LlmxError `usage`, `engine_unreachable`
 */
export async function chooseEngine(
  asked: string | undefined,
  runtime: RuntimeKind | null,
): Promise<ContainerEngine> {
  const engines = RUNTIME_KINDS.filter(isEngineKind);
  const wanted = asked ?? (runtime === 'process' ? null : runtime);
  if (wanted !== null) {
    const kind = engines.find((known) => known === wanted);
    if (kind === undefined) {
      const problem = `--runtime ${wanted}: images are built for ${engines.join(', ')}`;
      throw new LlmxError('usage', { problem, hint: 'llmx-client doctor' });
    }
    return engineOf(kind);
  }
  for (const kind of engines) {
    if ((await engineOf(kind).probe()).ok) return engineOf(kind);
  }
  const problem = `no container engine works here (tried ${engines.join(', ')})`;
  throw new LlmxError('usage', { problem, hint: 'install podman, then: llmx-client doctor' });
}

const DEFAULT_MIN_FREE_GB = 12;

/**
 * Before a build: one that runs out of space dies without saying so.
 * @throws LlmxError `disk_low`, `usage`
 */
export async function ensureBuildDisk(env: Environment, stateDir: string): Promise<void> {
  const needGb = neededGb(env);
  // Engines keep their images below /var/lib, or in the folder of their user.
  const places = [stateDir, ...(process.platform === 'linux' ? ['/var/lib'] : [])];
  for (const where of places) {
    const free = await freeGb(where);
    if (free < needGb) throw new LlmxError('disk_low', { freeGb: free.toFixed(1), where, needGb });
  }
}

function neededGb(env: Environment): number {
  const text = env['LLMX_MIN_FREE_GB'];
  if (text === undefined || text === '') return DEFAULT_MIN_FREE_GB;
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text);
  const problem = `LLMX_MIN_FREE_GB must be a number of GB, not ${JSON.stringify(text.slice(0, 60))}`;
  throw new LlmxError('usage', { problem, hint: 'unset LLMX_MIN_FREE_GB' });
}
