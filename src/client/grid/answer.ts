import { ApplicationFailure } from '@temporalio/common';
import { gridIdOf, preflightIdOf } from '../../domain/grid/ids.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { readState } from '../../temporal/grid-state.js';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import type { AnswerFlags } from '../commands/approve.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';
import { connectServices, type Services } from '../services.js';

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
  const { WorkflowNotFoundError, WorkflowUpdateFailedError } = await import('@temporalio/client');
  const workflowId = preflightIdOf(workflow);
  const handle = services.client.workflow.getHandle(workflowId);
  try {
    const { status } = await handle.describe();
    if (status.name !== 'RUNNING') {
      const state = await readState(handle);
      throw new LlmxError('not_waiting', {
        workflowId: gridIdOf(workflow),
        state: `its preflight has ended with ${state?.verdict ?? status.name.toLowerCase()}`,
      });
    }
    await handle.executeUpdate(verb, {
      args: [
        {
          by: cli.env['USER'] ?? 'unknown',
          ...(flags.reason === undefined ? {} : { reason: flags.reason }),
          ...(flags.hash === undefined ? {} : { hash: flags.hash }),
        },
      ],
    });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) {
      throw new LlmxError(
        'workflow_not_found',
        { workflowId: gridIdOf(workflow) },
        { cause: error },
      );
    }
    if (error instanceof WorkflowUpdateFailedError) {
      throw refusal(error.cause, gridIdOf(workflow), flags) ?? error;
    }
    throw error;
  }
}

function refusal(cause: unknown, workflowId: string, flags: AnswerFlags): LlmxError | null {
  if (!(cause instanceof ApplicationFailure)) return null;
  switch (cause.type) {
    case 'not_waiting':
      return new LlmxError('not_waiting', { workflowId, state: cause.message });
    case 'approval_stale':
      return new LlmxError('approval_stale', { given: flags.hash ?? '', current: cause.message });
    default:
      return null;
  }
}
