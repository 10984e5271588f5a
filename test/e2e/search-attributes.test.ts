import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../src/support/process-identity.js';
import { startInBackground, stopProcess } from '../../src/temporal/background-process.js';
import { findProgram } from '../../src/temporal/find-program.js';
import { awaitServing } from '../../src/temporal/health.js';
import { registerSearchAttributes } from '../../src/temporal/namespace.js';
import { choosePorts } from '../../src/temporal/ports.js';
import { LLMX_SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.js';

jest.setTimeout(60_000);

let folder: string;
let server: ProcessIdentity;
let connection: Connection;

/** A server that knows nothing of llmx, with the attributes that somebody else made. */
async function startPlain(attributes: readonly string[]): Promise<void> {
  const { port } = await choosePorts({ port: 1, uiPort: 1 });
  const program = await findProgram({ env: process.env, note: () => undefined });
  const made = attributes.flatMap((attribute) => ['--search-attribute', attribute]);
  const start = await startInBackground({
    argv: [program, 'server', 'start-dev', '--headless', '--port', String(port), ...made],
    env: {},
    cwd: folder,
    logFile: join(folder, 'log'),
  });
  if (start.kind === 'failed') throw new Error(start.reason);
  server = start.process;
  const health = await awaitServing(`127.0.0.1:${port}`, server, 30_000);
  if (health.kind !== 'serving') throw new Error(health.kind);
  connection = health.connection;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-attributes-'));
});
afterEach(async () => {
  await connection.close();
  await stopProcess(server, 10_000);
  await rm(folder, { recursive: true, force: true });
});

describe('registerSearchAttributes', () => {
  it('adds those that a server lacks, once, and they can be used at once', async () => {
    await startPlain(['LlmxHost=Keyword']);
    expect(await registerSearchAttributes(connection, 'default')).toBe(true);
    expect(await registerSearchAttributes(connection, 'default')).toBe(true);
    const query = LLMX_SEARCH_ATTRIBUTES.map(({ name }) => `${name} IS NULL`).join(' AND ');
    const { count } = await connection.workflowService.countWorkflowExecutions({
      namespace: 'default',
      query,
    });
    expect(Number(count)).toBe(0);
  });

  it('reports a server that has one of another type, without waiting', async () => {
    await startPlain(['LlmxDone=Keyword']);
    expect(await registerSearchAttributes(connection, 'default')).toBe(false);
  });

  it('fails when the namespace is not there: nothing could run in it', async () => {
    await startPlain([]);
    const failure = registerSearchAttributes(connection, 'nosuch');
    await expect(failure).rejects.toMatchObject({ code: 5 });
  });
});
