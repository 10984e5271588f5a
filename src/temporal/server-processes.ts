import { readFile, readdir } from 'node:fs/promises';
import { identityOf, type ProcessIdentity } from '../support/process-identity.js';
import { runCommand } from '../support/run-command.js';

/** Running development servers on exactly this database file, whoever started them. */
export function serverProcesses(databaseFile: string): Promise<ProcessIdentity[]> {
  return processesWith(` start-dev `, ` --db-filename ${databaseFile} `);
}

/** Running workers of exactly this state folder, recorded or not. */
export function workerProcesses(stateRoot: string): Promise<ProcessIdentity[]> {
  return processesWith(` ${workerMark(stateRoot)} `);
}

/** An argument that the worker does not read: it tells the workers of one state folder from others. */
export function workerMark(stateRoot: string): string {
  return `--llmx-state=${stateRoot}`;
}

async function processesWith(...texts: readonly string[]): Promise<ProcessIdentity[]> {
  const processes = process.platform === 'linux' ? await linuxProcesses() : await psProcesses();
  return processes
    .filter(({ command }) => texts.every((text) => command.includes(text)))
    .map(({ pid }) => identityOf(pid))
    .filter((identity) => identity !== null);
}

interface RunningCommand {
  readonly pid: number;
  /** Arguments joined by blanks. */
  readonly command: string;
}

async function linuxProcesses(): Promise<RunningCommand[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => {
      // A process may end while the list is read.
      const raw = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), command: raw.replaceAll('\0', ' ') };
    }),
  );
}

async function psProcesses(): Promise<RunningCommand[]> {
  const { stdout } = await runCommand(['ps', '-A', '-ww', '-o', 'pid=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const row = /^\s*(\d+)\s+(.*)$/.exec(line);
    return row === null ? [] : [{ pid: Number(row[1]), command: `${row[2] ?? ''} ` }];
  });
}
