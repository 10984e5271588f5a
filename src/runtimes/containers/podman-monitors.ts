import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const GONE_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 10;

/**
 * Ends what podman forgets: a client that is killed between making a container and starting it leaves a
 * monitor (conmon) with a first process that waits for its start for ever, and `podman rm` knows of neither.
 * @returns false when something could not be ended
 */
export async function endMonitors(container: string): Promise<boolean> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const monitors = monitorsOf(container);
    if (monitors.length === 0) return true;
    if (performance.now() > deadline) return false;
    for (const pid of monitors.flatMap((monitor) => [...descendantsOf(monitor), monitor])) end(pid);
    await delay(LOOK_AGAIN_MS);
  }
}

function monitorsOf(container: string): readonly number[] {
  return processes().filter((pid) => {
    const [program = '', ...args] = read(`/proc/${pid}/cmdline`).split('\0');
    return /(^|\/)conmon$/.test(program) && args[args.indexOf('-n') + 1] === container;
  });
}

/** None where there is no /proc: there podman runs in a machine of its own. */
function processes(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function descendantsOf(pid: number): readonly number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [...descendantsOf(child), child]);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, or another user's: the next look tells.
  }
}
