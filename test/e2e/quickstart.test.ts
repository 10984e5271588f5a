import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readFile, readdir, writeFile, rm } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { TemporalClient } from '../../src/temporal/connect.js';
import { stateLayout } from '../../src/storage/state-layout.js';
import { connectClient } from '../../src/temporal/connect.js';
import { ensureServer } from '../../src/temporal/embedded-server.js';
import { exampleLab, type ExampleLab } from './support/quickstart.js';

jest.setTimeout(150_000);

interface GridResultJson {
  readonly kind: string;
  readonly ok: boolean;
  readonly total: number;
  readonly ran: number;
  readonly passed: number;
  readonly failed: number;
  readonly workflowId: string;
  readonly failures: readonly { readonly code: string }[];
}

async function metaFiles(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true });
  return entries.filter((entry) => entry.endsWith('meta.json'));
}

describe('the quickstart experiment through the built CLI', () => {
  let lab: ExampleLab;
  let grid: GridResultJson;

  beforeAll(async () => {
    lab = await exampleLab('quickstart');
  });

  afterAll(async () => {
    await lab.end();
  });

  async function withClient<T>(work: (temporal: TemporalClient) => Promise<T>): Promise<T> {
    const server = await ensureServer({
      state: stateLayout(lab.stateDir),
      env: process.env,
      note: () => undefined,
    });
    const temporal = await connectClient(server);
    try {
      return await work(temporal);
    } finally {
      await temporal.close();
    }
  }

  async function rawHistory(workflowId: string): Promise<string> {
    return withClient(async ({ client }) => {
      return textsIn(await client.workflow.getHandle(workflowId).fetchHistory()).join('\n');
    });
  }

  it('plans 8 cells in the order of the seed', async () => {
    const plan = (await lab.cli('plan', '--json')).json<{
      total: number;
      cells: readonly { task: string; agent: string; condition: string; index: number }[];
    }>();
    expect(plan.total).toBe(8);
    expect(plan.cells.map((cell) => `${cell.task}/${cell.agent}/${cell.condition}`)).toEqual([
      'month-border/oracle/plain',
      'month-border/oracle/hinted',
      'month-border/nop/plain',
      'month-border/nop/hinted',
      'split-rounding/oracle/hinted',
      'split-rounding/oracle/plain',
      'split-rounding/nop/hinted',
      'split-rounding/nop/plain',
    ]);
  });

  it('runs every cell: the oracle passes, doing nothing is a valid failure', async () => {
    const run = await lab.cli('start-grid', '--wait', '--json');
    grid = run.json<GridResultJson>();
    expect(grid).toMatchObject({
      kind: 'gridResult',
      ok: true,
      total: 8,
      ran: 8,
      passed: 4,
      failed: 4,
      failures: [],
    });
    expect(run.exit).toBe(0);
    expect(await metaFiles(join(lab.dir, 'results-raw'))).toHaveLength(8);
  });

  it('has nothing left to do the second time', async () => {
    const run = await lab.cli('start-grid', '--wait', '--json');
    expect(run.json<GridResultJson>()).toMatchObject({ ok: true, total: 0, ran: 0 });
    expect(run.exit).toBe(0);
    expect(await metaFiles(join(lab.dir, 'results-raw'))).toHaveLength(8);
  });

  it('runs the cells of one agent again when asked to, and keeps what was there', async () => {
    const run = await lab.cli('start-grid', '--wait', '--json', '--redo-done', '--agent', 'oracle');
    expect(run.json<GridResultJson>()).toMatchObject({ ok: true, total: 4, ran: 4, passed: 4 });
    expect(await metaFiles(join(lab.dir, 'results-raw'))).toHaveLength(12);
  });

  it('says in the Web UI which cell an activity is about', async () => {
    const summaries = await withClient(async ({ client }) => {
      const { events } = await client.workflow.getHandle(grid.workflowId).fetchHistory();
      return (events ?? [])
        .filter(
          (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'runTrial',
        )
        .map((event) => Buffer.from(event.userMetadata?.summary?.data ?? []).toString('utf8'));
    });
    expect(summaries).toHaveLength(8);
    expect(JSON.parse(summaries[0] ?? '')).toBe('cell 1/8 · month-border / oracle / plain');
    expect(JSON.parse(summaries[7] ?? '')).toBe('cell 8/8 · split-rounding / nop / plain');
  });

  it('lets the server find a grid by its search attributes and memo', async () => {
    await withClient(async ({ client }) => {
      const query = `LlmxPhase = 'done' AND LlmxVerdict = 'GREEN' AND LlmxDone = 8`;
      const ids: string[] = [];
      for await (const execution of client.workflow.list({ query })) ids.push(execution.workflowId);
      expect(ids).toContain(grid.workflowId);
      const { memo } = await client.workflow.getHandle(grid.workflowId).describe();
      expect(memo).toMatchObject({ phase: 'done', verdict: 'GREEN', done: 8, total: 8 });
    });
  });

  it('keeps prompts, environment, file contents, host paths and stack traces out of history', async () => {
    const history = await rawHistory(grid.workflowId);
    const prompts = await promptTexts(lab.dir);
    expect(prompts.length).toBeGreaterThan(0);
    for (const secret of [
      ...prompts,
      lab.dir,
      lab.stateDir,
      homedir(),
      process.cwd(),
      hostname(),
    ]) {
      expect(history).not.toContain(secret);
    }
    expect(history).toContain('month-border'); // the search does look into the payloads
    expect(history).not.toMatch(/\bat .*\.(js|ts|mjs):\d+/);
    expect(history).not.toContain('stackTrace');
  });

  it('has no answer for an approval when nothing waits', async () => {
    const run = await lab.cli('approve', grid.workflowId, '--json');
    expect(run.exit).toBe(6);
    expect(run.json()).toMatchObject({ error: { code: 'not_waiting' } });
  });

  it('keeps the history of a finished grid over a restart of the server, for 90 days', async () => {
    await lab.cli('server', 'stop');
    const status = (await lab.cli('status', '--json')).json<{ phase: string; done: number }>();
    expect(status).toMatchObject({ phase: 'done', done: 8 });
    expect(await rawHistory(grid.workflowId)).toContain('runTrial');
    const retention = await withClient(async ({ connection, namespace }) => {
      const described = await connection.workflowService.describeNamespace({ namespace });
      return Number(described.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    });
    expect(retention).toBe(90 * 24 * 3600);
  });

  it('waits on YELLOW for a person, who can approve it, and records the cell without a prompt', async () => {
    await rm(join(lab.dir, 'prompts', 'ledger', 'month-border', 'hinted.txt'));
    const flags = ['--redo-done', '--task', 'month-border', '--agent', 'nop'] as const;
    const waiting = await lab.cli('start-grid', '--wait', '--json', ...flags);
    expect(waiting.exit).toBe(7);
    const { workflowId, approve, checks } = waiting.json<{
      workflowId: string;
      approve: string;
      checks: readonly { code: string; status: string; detail: string }[];
    }>();
    expect(checks.filter((check) => check.status !== 'ok')).toMatchObject([
      { code: 'prompts', detail: 'missing: month-border/hinted' },
    ]);
    expect(approve).toContain(workflowId);
    expect((await lab.cli('status', '--json')).json()).toMatchObject({ phase: 'waiting' });

    const stale = await lab.cli('approve', workflowId, '--hash', '000000000000', '--json');
    expect(stale.exit).toBe(6);
    expect(stale.json()).toMatchObject({ error: { code: 'approval_stale' } });
    expect((await lab.cli('approve', workflowId, '--reason', 'known')).exit).toBe(0);

    // The same command attaches to the grid, or finds it done: either way its result is told.
    const status = await untilPhase(lab, 'done');
    expect(status).toMatchObject({ phase: 'done' });
    const history = await rawHistory(workflowId);
    expect(history).toContain('prompt_missing');
    expect(history).not.toContain(lab.dir);
  });

  it('stops on RED before any trial and says what to type', async () => {
    await writeFile(join(lab.dir, '.apps.local'), '');
    const run = await lab.cli('start-grid', '--redo-done', '--task', 'split-rounding', '--json');
    expect(run.exit).toBe(3);
    expect(run.json()).toMatchObject({
      error: { code: 'preflight_red', hint: 'export LLMX_APP_LEDGER=/path/to/the/checkout' },
    });
  });
});

async function untilPhase(lab: ExampleLab, phase: string): Promise<Record<string, unknown>> {
  // Another trial on this machine may have the host for a while.
  const deadline = Date.now() + 100_000;
  for (;;) {
    const status = (await lab.cli('status', '--json')).json();
    if (status['phase'] === phase || Date.now() > deadline) return status;
  }
}

async function promptTexts(dir: string): Promise<readonly string[]> {
  const root = join(dir, 'prompts');
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.txt'));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line.length > 20));
}

/** Every string and every payload of a history as text, so that a search finds what is in them. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, nested]) => [
    ...(nested === '' ? [] : [key]),
    ...textsIn(nested),
  ]);
}
