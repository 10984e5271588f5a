const TICK_MS = 1_000;

/** A machine that stands still this long between two ticks has slept. */
export const SLEEP_GAP_MS = 30_000;

export interface Clocks {
  readonly wallMs: number;
  /** Stands still while a Linux machine sleeps, so it alone would not tell. */
  readonly monotonicMs: number;
}

export function readClocks(): Clocks {
  return { wallMs: Date.now(), monotonicMs: performance.now() };
}

/** True when more time passed between two ticks than a running machine could lose. */
export function hasSlept(before: Clocks, after: Clocks): boolean {
  const gapMs = Math.max(after.wallMs - before.wallMs, after.monotonicMs - before.monotonicMs);
  return gapMs > SLEEP_GAP_MS;
}

/** Ticks once a second until stopped. @returns the stop function */
export function watchSleep(onSleep: () => void, onTick: () => void): () => void {
  let last = readClocks();
  const timer = setInterval(() => {
    const now = readClocks();
    if (hasSlept(last, now)) onSleep();
    last = now;
    onTick();
  }, TICK_MS);
  return () => {
    clearInterval(timer);
  };
}
