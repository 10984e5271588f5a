/** A machine that stands still this long between two ticks has slept. */
export const SLEEP_GAP_MS = 30_000;

const TICK_MS = 1_000;
const TICKS_PER_GAP = 4;

export interface Clocks {
  readonly wallMs: number;
  /** Stands still while a Linux machine sleeps, so it alone would not tell. */
  readonly monotonicMs: number;
}

export function readClocks(): Clocks {
  return { wallMs: Date.now(), monotonicMs: performance.now() };
}

/** True when more time passed between two ticks than a running machine could lose. */
export function hasSlept(before: Clocks, after: Clocks, gapMs = SLEEP_GAP_MS): boolean {
  const passedMs = Math.max(after.wallMs - before.wallMs, after.monotonicMs - before.monotonicMs);
  return passedMs > gapMs;
}

export interface SleepWatch {
  /** Looks once more: whatever woke this process up may have come before the tick. */
  readonly look: () => void;
  readonly stop: () => void;
}

/** Ticks once a second (or often enough for a shorter gap) until stopped. */
export function watchSleep(
  on: { readonly sleep: () => void; readonly tick: () => void },
  gapMs = SLEEP_GAP_MS,
): SleepWatch {
  let last = readClocks();
  const look = (): void => {
    const now = readClocks();
    if (hasSlept(last, now, gapMs)) on.sleep();
    last = now;
  };
  const timer = setInterval(
    () => {
      look();
      on.tick();
    },
    Math.min(TICK_MS, gapMs / TICKS_PER_GAP),
  );
  return {
    look,
    stop: () => {
      clearInterval(timer);
    },
  };
}
