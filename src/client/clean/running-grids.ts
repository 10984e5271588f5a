import { LlmxError } from '../../errors/llmx-error.js';
import type { StateLayout } from '../../storage/state-layout.js';
import type { ServerTarget } from '../../temporal/connect.js';
import { liveTrials } from '../../trial/live-trials.js';
import { ownerRuns, readOwner } from '../../trial/owner.js';
import { readSupervisorSpec } from '../../trial/supervisor-spec.js';
import { trialFiles } from '../../trial/trial-files.js';
import type { CliContext } from '../context.js';
import { namesIn } from './known-plans.js';

export interface RunningGrids {
  readonly ids: readonly string[];
  /** Why more may run than these, or null. */
  readonly unknown: string | null;
}

/** Grids that run or wait on a server that runs. Starts none: without its server no grid goes on. */
export async function runningGrids(
  cli: CliContext,
  layout: StateLayout,
  address: string | undefined,
): Promise<RunningGrids> {
  const ofTrials = (await liveTrials(layout)).flatMap(({ workflowId }) => workflowId ?? []);
  const target = await serverTarget(cli, layout, address);
  if (target === null) return { ids: ofTrials, unknown: null };
  try {
    return { ids: [...(await listRunning(target)), ...ofTrials], unknown: null };
  } catch (error) {
    if (!(error instanceof LlmxError)) throw error;
    return { ids: ofTrials, unknown: error.message };
  }
}

async function listRunning(target: ServerTarget): Promise<readonly string[]> {
  const { connectClient } = await import('../../temporal/connect.js');
  const services = await connectClient(target);
  try {
    const ids: string[] = [];
    const query = "WorkflowType = 'gridWorkflow' AND ExecutionStatus = 'Running'";
    for await (const { workflowId } of services.client.workflow.list({ query }))
      ids.push(workflowId);
    return ids;
  } finally {
    await services.close();
  }
}

/** Null when the embedded server is meant and does not run. @throws LlmxError `usage` */
async function serverTarget(
  { env }: CliContext,
  layout: StateLayout,
  address: string | undefined,
): Promise<ServerTarget | null> {
  const { resolveServer } = await import('../../temporal/resolve-address.js');
  const choice = await resolveServer({ env, address });
  if (choice.kind === 'configured') return { ...choice, uiUrl: null, embedded: false };
  const { serverStatus, EMBEDDED_NAMESPACE } = await import('../../temporal/embedded-server.js');
  const { running, address: at, uiUrl } = await serverStatus(layout);
  if (!running || at === null) return null;
  return { address: at, uiUrl, namespace: EMBEDDED_NAMESPACE, embedded: true, credentials: {} };
}

/** Images and templates that trials with a living supervisor start from, also those of `run-trial`. */
export async function startsOfLiveTrials(layout: StateLayout): Promise<ReadonlySet<string>> {
  const starts = new Set<string>();
  for (const name of await namesIn(layout.trialsDir)) {
    const files = trialFiles(layout.trialDir(name));
    if (!ownerRuns(await readOwner(files.owner))) continue;
    const spec = await readSupervisorSpec(files.spec);
    for (const start of [spec?.sandbox.image, spec?.templateDir])
      if (start != null) starts.add(start);
  }
  return starts;
}
