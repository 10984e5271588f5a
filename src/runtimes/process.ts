import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isErrno } from '../support/atomic-file.js';
import { baseEnv } from './base-env.js';
import { endMarked, markerEnv, type MarkQuery } from './marked-processes.js';
import { sandboxPaths } from './sandbox-paths.js';
import type {
  Runtime,
  RuntimeProbe,
  Sandbox,
  SandboxCommand,
  SandboxEnd,
  SandboxRequest,
  TrialMarker,
} from './runtime.js';

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs the trial as processes of this user: private HOME and TMPDIR, environment from an allow-list,
 * process groups of their own. It keeps trials apart, it does not lock an agent in.
 */
export const processRuntime: Runtime = {
  kind: 'process',
  probe: (): Promise<RuntimeProbe> =>
    Promise.resolve({
      ok: process.platform === 'linux' || process.platform === 'darwin',
      version: process.version,
      detail: `processes of this user on ${process.platform}; the agent can read this machine`,
    }),
  prepare,
  run,
  endLeftovers: async (marker: TrialMarker, root: string) =>
    (await endMarked(queryOf(marker, root), 0)).found,
  destroy,
};

async function prepare(request: SandboxRequest): Promise<Sandbox> {
  const paths = sandboxPaths(request.root);
  await mkdir(paths.root, { recursive: true, mode: 0o700 });
  await Promise.all(
    // The two checkouts are made by whoever fills them.
    [paths.home, paths.out, paths.inputs, paths.tmp].map((dir) => mkdir(dir, { mode: 0o700 })),
  );
  return {
    marker: request.marker,
    host: paths,
    inside: paths,
    node: process.execPath,
    env: {
      ...baseEnv(process.env),
      HOME: paths.home,
      TMPDIR: paths.tmp,
      ...markerEnv(request.marker),
    },
    imageId: null,
  };
}

async function run(sandbox: Sandbox, command: SandboxCommand): Promise<SandboxEnd> {
  const query = queryOf(sandbox.marker, sandbox.host.root);
  const [program, ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: sandbox.host.root,
    env: { ...command.env, ...markerEnv(sandbox.marker) },
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const end = await endOf(child, command, query);
  const rest = await endMarked(query, 0);
  endGroup(child.pid);
  return {
    ...end,
    oom: false,
    // Killing on request is no leftover: only what survived a program that ended by itself counts.
    leftoversKilled: rest.found,
    leftoversAlive: rest.alive,
    proof: 'best-effort',
  };
}

type ChildEnd = Pick<SandboxEnd, 'exit' | 'signal' | 'timedOut'>;

function endOf(child: ChildProcess, command: SandboxCommand, query: MarkQuery): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let ending: Promise<unknown> | null = null;
    const endNow = (): void => {
      ending ??= endMarked(query, command.killGraceMs).catch(reject);
    };
    const timer = setTimeout(
      () => {
        timedOut = true;
        endNow();
      },
      Math.min(command.timeoutMs, LONGEST_TIMER_MS),
    );
    const finish = async (exit: number | null, signal: string | null): Promise<void> => {
      clearTimeout(timer);
      command.signal.removeEventListener('abort', endNow);
      // The program may go at TERM at once: the agent below it still has its grace.
      await ending;
      resolve({ exit, signal, timedOut });
    };
    child.once('error', () => void finish(127, null)); // the node binary is gone
    child.once('exit', (exit, signal) => void finish(exit, signal));
    command.signal.addEventListener('abort', endNow, { once: true });
    if (command.signal.aborted) endNow();
  });
}

/** What stayed in the program's own group, also where the folder of a process can't be seen. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH') && !isErrno(error, 'EPERM')) throw error;
  }
}

function queryOf(marker: TrialMarker, root: string): MarkQuery {
  return { ...marker, root };
}

async function destroy(root: string): Promise<void> {
  const execute = promisify(execFile);
  try {
    await execute('rm', ['-rf', '--', root]);
  } catch {
    // Package caches hold read-only folders, which only root can empty as they are.
    await execute('chmod', ['-R', 'u+rwX', '--', root]);
    await execute('rm', ['-rf', '--', root]);
  }
}
