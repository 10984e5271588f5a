import { join } from 'node:path';
import { LlmxError } from '../errors/llmx-error.js';
import type { StateLayout } from '../storage/state-layout.js';
import { acquireKernelLock } from '../support/kernel-lock.js';
import type { Environment } from '../support/paths.js';
import { logTail, startInBackground, stopProcess } from './background-process.js';
import { awaitServing } from './health.js';
import type { Note } from './note.js';
import { choosePorts, isPortFree, type ServerPorts } from './ports.js';
import { LLMX_SEARCH_ATTRIBUTES } from './search-attributes.js';
import {
  serverAddress,
  serverUiUrl,
  writeServerRecord,
  type ServerRecord,
} from './server-record.js';

const START_TIMEOUT_MS = 60_000;
const PORTS_WAIT_MS = 30_000;
/** Ports can be taken between the look and the start. */
const MAX_TRIES = 3;

export interface LaunchOptions {
  readonly state: StateLayout;
  readonly env: Environment;
  readonly note: Note;
  readonly program: string;
  readonly remembered: ServerPorts | null;
}

/**
 * Starts the development server and waits until it serves. The record is written as soon as the
 * process exists, `ready` is still false.
 * @throws LlmxError `server_start_failed` with the end of the log
 */
export async function launchServer(options: LaunchOptions): Promise<ServerRecord> {
  // Servers of other users and state folders start one after the other: two that chose the same port at
  // the same moment would both see one of them answer.
  const signal = AbortSignal.timeout(PORTS_WAIT_MS);
  const lock = await acquireKernelLock('server-ports', { signal }).catch((error: unknown) => {
    if (signal.aborted) return null; // better at the same time than not at all
    throw error;
  });
  try {
    return await launchAtFreePorts(options);
  } finally {
    await lock?.release();
  }
}

async function launchAtFreePorts(options: LaunchOptions): Promise<ServerRecord> {
  for (let tries = 1; ; tries++) {
    const ports = await choosePorts(options.remembered);
    const outcome = await launchAt(ports, options);
    if (outcome.kind === 'serving') {
      sayNewAddress(options, ports);
      return outcome.record;
    }
    if (tries < MAX_TRIES && !(await bothFree(ports))) continue;
    throw new LlmxError('server_start_failed', {
      reason: outcome.reason,
      hint: `read ${logFileOf(options.state)}, then: llmx-client server start`,
    });
  }
}

type Launch =
  | { readonly kind: 'serving'; readonly record: ServerRecord }
  | { readonly kind: 'failed'; readonly reason: string };

async function launchAt(ports: ServerPorts, options: LaunchOptions): Promise<Launch> {
  const { state, env, program } = options;
  const logFile = logFileOf(state);
  const start = await startInBackground({
    argv: [program, ...serverArguments(state.databaseFile, ports)],
    env: plainEnvironment(env),
    cwd: state.root,
    logFile,
  });
  if (start.kind === 'failed') return start;
  const record: ServerRecord = {
    schemaVersion: 1,
    ...ports,
    process: start.process,
    ready: false,
    searchAttributes: false,
  };
  await writeServerRecord(state, record);
  const health = await awaitServing(serverAddress(ports), start.process, START_TIMEOUT_MS);
  if (health.kind === 'serving') {
    await health.connection.close();
    return { kind: 'serving', record };
  }
  await stopProcess(start.process, 2_000);
  await writeServerRecord(state, { ...record, process: null });
  const what = health.kind === 'died' ? 'it ended' : 'it did not serve within a minute';
  return { kind: 'failed', reason: `${what}\n${await logTail(logFile, start.logStart)}`.trimEnd() };
}

/** The command line of the development server, without the program. */
export function serverArguments(databaseFile: string, ports: ServerPorts): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--ui-ip', '127.0.0.1'],
    ...['--port', String(ports.port), '--ui-port', String(ports.uiPort)],
    ...['--db-filename', databaseFile, '--log-level', 'warn'],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
    // By default queues are read at most 20 times a second, which costs 100 ms an activity.
    ...['transfer', 'timer', 'visibility'].flatMap((queue) => [
      '--dynamic-config-value',
      `history.${queue}ProcessorMaxPollRPS=2000`,
    ]),
    // A database that is made now has them at once; an older one gets them over the operator service.
    ...LLMX_SEARCH_ATTRIBUTES.flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${type === 'INT' ? 'Int' : 'Keyword'}`,
    ]),
  ];
}

/** The server needs no secret of the person who happened to start it, nor their client settings. */
function plainEnvironment(env: Environment): Record<string, string> {
  const kept = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
  return Object.fromEntries(
    kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

function sayNewAddress({ remembered, note }: LaunchOptions, ports: ServerPorts): void {
  if (remembered === null || remembered.uiPort === ports.uiPort) return;
  note(`port ${remembered.uiPort} is taken: the Web UI is at ${serverUiUrl(ports)} from now on`);
}

async function bothFree(ports: ServerPorts): Promise<boolean> {
  return (await isPortFree(ports.port)) && (await isPortFree(ports.uiPort));
}

function logFileOf(state: StateLayout): string {
  return join(state.logsDir, 'server.log');
}
