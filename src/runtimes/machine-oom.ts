import { readFileSync } from 'node:fs';

/** Processes that the kernel has killed for lack of memory since it started, where it counts them. */
export function machineOomKills(): number {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1];
    return Number(count ?? 0);
  } catch {
    return 0; // no such file here
  }
}
