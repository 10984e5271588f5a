import { phaseDeadlineMs, type TrialTimes } from '../../domain/trial/deadlines.js';
import type { TrialPhase } from '../../domain/trial/program-contract.js';
import type { Runtime, Sandbox } from '../../runtimes/runtime.js';
import { programPhase } from './progress.js';

const LOOK_EVERY_MS = 1_000;

/**
 * A phase that is not over after its time means that the trial program does not get to run: an agent's
 * processes have used up the sandbox's share of the machine. Then the sandbox gets all of it, once a phase.
 */
export function relieveOverdue(
  runtime: Runtime,
  sandbox: Sandbox,
  times: TrialTimes,
): { readonly stop: () => void } {
  let phase: TrialPhase | null = null;
  let sinceMs = performance.now();
  let isRelieved = false;
  const look = async (): Promise<void> => {
    const found = await programPhase(sandbox.host.out);
    if (found === null) return;
    if (found !== phase) {
      [phase, sinceMs, isRelieved] = [found, performance.now(), false];
    }
    const passedMs = performance.now() - sinceMs;
    if (isRelieved || passedMs < phaseDeadlineMs(found, times)) return;
    isRelieved = true;
    console.error(`${found} is not over after ${Math.round(passedMs / 1000)} s: no quota any more`);
    await runtime.giveAllCpus(sandbox);
  };
  const timer = setInterval(() => void look().catch(console.error), LOOK_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}
