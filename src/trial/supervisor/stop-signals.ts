/** Why a trial is ended from outside before it is over. */
export type StopReason = 'cancelled' | 'host_slept';

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

/** TERM ends the trial properly. A closed terminal or Ctrl-C in one is no reason to. */
export function listenForSignals(stop: StopSwitch): void {
  process.on('SIGTERM', () => {
    stop.stop('cancelled');
  });
  for (const ignored of ['SIGHUP', 'SIGINT'] as const) process.on(ignored, () => undefined);
}
