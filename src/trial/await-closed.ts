import { watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { attemptOf, type Claim } from './claims.js';
import { bury, lifeOf, type Life } from './bury.js';
import { readRecord, trialFiles } from './trial-files.js';
import type { Starter } from './start-supervisor.js';
import type { TrialHost, TrialProgress, TrialRequest, WaitOptions } from './trial-request.js';

const POLL_MS = 250;

/** How long a trial may be without a supervisor before it is given up. */
const PATIENCE_MS: Readonly<Record<Life, number>> = {
  running: Infinity,
  starting: 30_000,
  late: 2_000,
  dead: 0,
};

/**
 * Waits until the attempt of a claim is closed, whoever runs it, and closes it as void when nobody
 * does any more. Only watches: a caller that goes away changes nothing.
 */
export async function awaitClosed(
  claim: Claim,
  attemptDir: string,
  request: TrialRequest,
  host: TrialHost,
  options: WaitOptions & { readonly starter?: Starter },
): Promise<void> {
  const cellDir = dirname(attemptDir);
  const files = trialFiles(host.layout.trialDir(claim.trialHash));
  const changes = new Changes(attemptDir, options.signal);
  const report = progressReporter(files.progress, options.onProgress);
  const withoutOwner = new Patience();
  options.starter?.onExit(() => {
    changes.wake();
  });
  try {
    for (;;) {
      const attempt = await attemptOf(cellDir, claim);
      if (attempt === 'gone' || attempt.state !== 'open') return;
      options.signal?.throwIfAborted();
      await report();
      let life = await lifeOf(claim, host);
      if (life === 'starting' && options.starter?.exited === true) life = 'dead';
      if (withoutOwner.isOver(life)) {
        // The record may have come between the two looks.
        const again = await attemptOf(cellDir, claim);
        if (again !== 'gone' && again.state === 'open') {
          await bury({ claim, attemptDir }, request, host);
        }
        continue;
      }
      await changes.next(POLL_MS);
    }
  } finally {
    changes.close();
  }
}

/** Monotonic: counts only the time this process watched. */
class Patience {
  private life: Life = 'running';
  private since = 0;

  isOver(life: Life): boolean {
    if (life !== this.life) {
      this.life = life;
      this.since = performance.now();
    }
    return performance.now() - this.since >= PATIENCE_MS[life];
  }
}

/** Wakes at once when something happens in a folder, and at every poll in case the watch misses it. */
class Changes {
  private readonly watcher: FSWatcher | null;
  private changed = false;
  private resume: (() => void) | null = null;

  constructor(
    folder: string,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.watcher = watchFolder(folder, () => {
      this.wake();
    });
    signal?.addEventListener('abort', this.wake, { once: true });
  }

  readonly wake = (): void => {
    this.changed = true;
    this.resume?.();
  };

  async next(pollMs: number): Promise<void> {
    if (!this.changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        this.resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.resume = null;
    this.changed = false;
  }

  close(): void {
    this.watcher?.close();
    this.signal?.removeEventListener('abort', this.wake);
  }
}

/** Null where the system has no watch left to give: the poll is enough, only slower. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', () => {
      watcher.close();
    });
    return watcher;
  } catch {
    return null;
  }
}

function progressReporter(
  file: string,
  onProgress: WaitOptions['onProgress'],
): () => Promise<void> {
  let shown = '';
  return async () => {
    if (onProgress === undefined) return;
    const progress = (await readRecord(file)) as TrialProgress | null;
    if (typeof progress?.phase !== 'string') return; // damaged; it is only for people
    if (`${progress.phase} ${progress.since}` === shown) return;
    shown = `${progress.phase} ${progress.since}`;
    onProgress(progress);
  };
}
