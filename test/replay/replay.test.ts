import { describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));
const BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));

Runtime.install({ logger: new DefaultLogger('ERROR') });

function recorded(file: string): string {
  return readFileSync(`${HISTORIES}${file}`, 'utf8');
}

async function replayError(json: string): Promise<Error | null> {
  const history = historyFromJSON(JSON.parse(json));
  // Child ids are derived from the workflow's own, so it must be the recorded one.
  const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
  const histories = [{ workflowId, history }];
  const options = { workflowBundle: { codePath: BUNDLE } };
  for await (const { error } of Worker.runReplayHistories(options, histories)) {
    return error ?? null;
  }
  throw new Error('nothing was replayed');
}

describe('workflows of released versions', () => {
  const files = readdirSync(HISTORIES).filter((file) => file.endsWith('.json'));

  it('have recorded histories', () => {
    expect(files.length).toBeGreaterThanOrEqual(3);
  });

  it.each(files)('replay %s with the workflows of today', async (file) => {
    expect(await replayError(recorded(file))).toBeNull();
  });

  it('would not replay a history in which another activity ran', async () => {
    const file = files.find((name) => name.startsWith('grid-green')) ?? '';
    const changed = recorded(file).replaceAll('"ensureDisk"', '"somethingElse"');
    const error = await replayError(changed);
    expect(error?.name).toBe('DeterminismViolationError');
    expect(error?.message).toContain('somethingElse');
  });
});
