import { existsSync } from 'node:fs';
import type { StopReason } from '../classify.js';

/** The first reason counts; everything that waits listens to the signal. */
export class StopSwitch {
  private readonly controller = new AbortController();
  private firstReason: StopReason | null = null;

  get reason(): StopReason | null {
    return this.firstReason;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  stop(reason: StopReason): void {
    this.firstReason ??= reason;
    this.controller.abort();
  }
}

/**
 * TERM ends the trial properly. It is a cancel only where one was asked for: an agent that ends every
 * process of a name, or a machine that shuts down, sends it too. A closed terminal or Ctrl-C in one is
 * no reason to end.
 */
export function listenForSignals(stop: StopSwitch, stopFile: string): void {
  process.on('SIGTERM', () => {
    stop.stop(existsSync(stopFile) ? 'cancelled' : 'supervisor_died');
  });
  for (const ignored of ['SIGHUP', 'SIGINT'] as const) process.on(ignored, () => undefined);
}
