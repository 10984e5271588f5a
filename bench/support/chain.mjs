// The runs that continue-as-new made of one grid.
import { Client, Connection } from '@temporalio/client';

/** @returns the grid's result, and its runs in order with the size of their histories */
export async function waitForChain(address, workflowId) {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    const result = await workflow.getHandle(workflowId).result();
    const runs = [];
    for await (const { runId } of workflow.list({
      query: `WorkflowId = '${workflowId}'`,
    })) {
      const { raw, startTime } = await workflow.getHandle(workflowId, runId).describe();
      const { historyLength, historySizeBytes } = raw.workflowExecutionInfo;
      runs.push({
        startTime,
        events: Number(historyLength),
        bytes: Number(historySizeBytes),
      });
    }
    runs.sort((a, b) => a.startTime - b.startTime);
    return {
      result,
      runs: runs.map(({ events, bytes }) => ({ events, bytes })),
    };
  } finally {
    await connection.close();
  }
}
