import { gridIdOf } from '../../domain/grid/ids.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { stateLayout } from '../../storage/state-layout.js';
import { stateDir } from '../../support/paths.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';
import { connectServices } from '../services.js';

/** Sends pause or resume to a running grid. */
export async function runControl(
  cli: CliContext,
  verb: 'pause' | 'resume',
  workflow: string,
  flags: { readonly address?: string; readonly json?: boolean },
): Promise<void> {
  const { WorkflowNotFoundError } = await import('@temporalio/client');
  const workflowId = gridIdOf(workflow);
  const services = await connectServices(
    cli,
    { layout: stateLayout(stateDir(cli.env)) },
    flags.address,
  );
  try {
    await services.client.workflow.getHandle(workflowId).signal(verb);
  } catch (error) {
    // A closed workflow answers the same as one that never was.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new LlmxError('workflow_not_found', { workflowId }, { cause: error });
  } finally {
    await services.close();
  }
  if (flags.json === true) printJson(cli, verb, { workflowId });
  else printLine(cli, `${verb} sent to ${workflowId}\nnext: llmx-client status`);
}
