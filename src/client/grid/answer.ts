import { gridIdOf, preflightIdOf } from '../../domain/grid/ids.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { answeredUpdate } from '../../temporal/answered-update.js';
import { readState } from '../../temporal/grid-state.js';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';
import { connectServices, type Services } from '../services.js';

export interface AnswerFlags {
  readonly reason?: string;
  readonly hash?: string;
  readonly address?: string;
  readonly json?: boolean;
}

/** Approves or rejects a YELLOW preflight; the workflow itself refuses what fits nothing shown. */
export async function runAnswer(
  cli: CliContext,
  verb: 'approve' | 'reject',
  workflow: string,
  flags: AnswerFlags,
): Promise<void> {
  const layout = stateLayout(stateDir(cli.env));
  const services = await connectServices(cli, { layout }, flags.address);
  try {
    await answer(cli, services, verb, workflow, flags);
  } finally {
    await services.close();
  }
  const outcome = verb === 'approve' ? 'approved' : 'rejected';
  const workflowId = gridIdOf(workflow);
  if (flags.json === true) printJson(cli, outcome, { workflowId });
  else printLine(cli, `${outcome} ${workflowId}\nnext: llmx-client status`);
}

async function answer(
  cli: CliContext,
  services: Services,
  verb: 'approve' | 'reject',
  workflow: string,
  flags: AnswerFlags,
): Promise<void> {
  const workflowId = gridIdOf(workflow);
  const preflightId = preflightIdOf(workflow);
  await assertWaiting(services, preflightId, workflowId);
  const message = {
    by: cli.env['USER'] ?? 'unknown',
    ...(flags.reason === undefined ? {} : { reason: flags.reason }),
    ...(flags.hash === undefined ? {} : { hash: flags.hash }),
  };
  await answeredUpdate(services, preflightId, verb, [message], (refusal) => {
    switch (refusal.type) {
      case 'not_waiting':
        return new LlmxError('not_waiting', { workflowId, state: refusal.message });
      case 'approval_stale':
        return new LlmxError('approval_stale', {
          given: flags.hash ?? '',
          current: refusal.message,
        });
      default:
        return null;
    }
  });
}

/** A preflight that has ended answers no update; its last state says what became of it. */
async function assertWaiting(
  services: Services,
  preflightId: string,
  workflowId: string,
): Promise<void> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  const handle = services.client.workflow.getHandle(preflightId);
  try {
    const { status } = await handle.describe();
    if (status.name === 'RUNNING') return;
    const verdict = (await readState(handle))?.verdict ?? status.name.toLowerCase();
    throw new LlmxError('not_waiting', {
      workflowId,
      state: `its preflight has ended with ${verdict}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new LlmxError('workflow_not_found', { workflowId }, { cause: error });
  }
}
