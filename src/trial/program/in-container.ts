import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  SERVICES_FILE,
  TOOLCHAIN_FILE,
  type Escapees,
  type ProgramSpec,
} from '../../domain/trial/program-contract.js';
import { isErrno } from '../../support/atomic-file.js';
import { isRunning } from '../../support/process-identity.js';

/** The image's own settings (PATH, where its packages are) go to everything that runs in it. */
export function withContainerEnv(spec: ProgramSpec): ProgramSpec {
  if (spec.container === undefined) return spec;
  const own = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('LLMX_') ? [] : [[name, value]],
    ),
  );
  return {
    ...spec,
    env: { ...own, ...spec.env },
    agent: { ...spec.agent, env: { ...own, ...spec.agent.env } },
  };
}

/** Versions that the image says it has; null for an image of somebody else. */
export function imageToolchain(): Readonly<Record<string, string>> | null {
  try {
    const versions = JSON.parse(readFileSync(TOOLCHAIN_FILE, 'utf8')) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(versions).flatMap(([name, version]) =>
        typeof version === 'string' ? [[name, version]] : [],
      ),
    );
  } catch {
    return null; // not there, or not a list of versions: the record shows none
  }
}

/** Command that starts what the app needs beside it (a database), where the image has any. */
export function servicesCommand(spec: ProgramSpec): string | null {
  return spec.container !== undefined && existsSync(SERVICES_FILE) ? SERVICES_FILE : null;
}

/**
 * A command that gives way to the program: the kernel ends it first when the container is out of memory, and
 * runs it last when thousands of its processes want the container's processor. Only so does the program live
 * to end it at its deadline. Alone in its container it is as fast as ever. No process may raise itself again.
 */
export function sacrificed(
  spec: ProgramSpec,
  argv: readonly string[],
): readonly [string, ...string[]] {
  const [program = '', ...args] = argv;
  if (spec.container === undefined) return [program, ...args];
  return ['sh', '-c', GIVE_WAY, 'sh', program, ...args];
}

/** An image of somebody else may have no `nice`. */
const GIVE_WAY = `echo 1000 > /proc/self/oom_score_adj
command -v nice > /dev/null || exec "$@"
exec nice -n 19 "$@"`;

/** Processes of this container that the kernel has killed at its memory limit so far. */
export function oomKillsHere(): number {
  for (const file of ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control']) {
    try {
      const count = /^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
      if (count !== undefined) return Number(count);
    } catch {
      // The other version of control groups, or a kernel that does not count.
    }
  }
  return 0;
}

const KILL_DEADLINE_MS = 5_000;

/** Ends every process of the container but its first and this one, again and again until none is left. */
export async function endAllOthers(): Promise<Escapees> {
  const first = othersHere().length;
  const deadline = performance.now() + KILL_DEADLINE_MS;
  let alive = first;
  while (alive > 0 && performance.now() < deadline) {
    killAll();
    await delay(1);
    alive = othersHere().length;
  }
  return { killed: first, alive, proof: 'container' };
}

/** To everyone but the first process and the caller; in a namespace of its own that is the container. */
function killAll(): void {
  try {
    process.kill(-1, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error; // the last one has just ended
  }
}

function othersHere(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === 1 || pid === process.pid) return [];
    return isRunning(pid) ? [pid] : [];
  });
}
