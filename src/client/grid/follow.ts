import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { GridResult, GridState } from '../../domain/grid/contracts.js';
import { cellLabel } from '../../domain/plan/cell.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { readState } from '../../temporal/grid-state.js';
import type { CliContext } from '../context.js';
import { Progress } from '../output/progress.js';

const POLL_MS = 200;
/** After this long without an answer, server and worker are looked after. */
const SILENCE_MS = 5_000;
const RETRY_MS = 500;
const VERDICT_WAIT_MS = 60_000;

/** What the verdict wait ends with. `unknown`: no answer in time. */
export type VerdictEnd = GridState | null;

/** Asks until the preflight has said GREEN, YELLOW or RED (or the grid is past it), for up to a minute. */
export async function waitForVerdict(handle: WorkflowHandle): Promise<VerdictEnd> {
  const deadline = Date.now() + VERDICT_WAIT_MS;
  while (Date.now() < deadline) {
    const state = await readState(handle);
    if (state !== null && state.phase !== 'preflight') return state;
    await pause(POLL_MS / 4);
  }
  return null;
}

/** How following ended: the grid's result, or a state in which it waits for a person. */
export type FollowEnd =
  | { readonly kind: 'result'; readonly result: GridResult }
  | { readonly kind: 'waiting'; readonly state: GridState }
  | { readonly kind: 'paused'; readonly state: GridState };

export interface FollowOptions {
  /** Off a terminal nobody can answer, so a YELLOW grid ends the command. */
  readonly stopWhenWaiting: boolean;
  /** Called once each time the grid begins to wait for a person. */
  readonly onWaiting: (state: GridState) => void;
  readonly repeats: number;
  /** What has the host while the grid's trial waits for it, or null. */
  readonly hostHolder: () => Promise<string | null>;
  /** Brings server and worker back where they have died. */
  readonly revive: () => Promise<void>;
}

/** Shows progress until the grid is done or needs a person. Leaving never cancels it. */
export async function follow(
  cli: CliContext,
  handle: WorkflowHandle,
  options: FollowOptions,
): Promise<FollowEnd> {
  const progress = new Progress(cli);
  const watch = new ResultWatch(handle);
  let shownHash: string | null = null;
  let answeredMs = performance.now();
  try {
    for (;;) {
      if (watch.outcome !== null) return { kind: 'result', result: await watch.outcome };
      const state = await readState(handle);
      if (state === null || watch.lost) {
        if (performance.now() - answeredMs > SILENCE_MS || watch.lost) {
          // Server or worker died, and nobody else may be there to bring them back.
          await options.revive();
          // A connection that breaks at once must not make a busy loop of this.
          await pause(RETRY_MS);
          watch.restart();
          answeredMs = performance.now();
        }
      } else {
        answeredMs = performance.now();
        progress.show(
          describe(state, options.repeats, await holderOf(state, options)),
          state.counters.attempted,
          state.counters.total,
        );
        if (state.phase === 'waiting' && options.stopWhenWaiting) return { kind: 'waiting', state };
        if (state.phase === 'waiting' && state.preflight?.hash !== shownHash) {
          shownHash = state.preflight?.hash ?? null;
          progress.end();
          options.onWaiting(state);
        }
        if (state.phase === 'paused') return { kind: 'paused', state };
      }
      await Promise.race([watch.changed, pause(POLL_MS)]);
    }
  } finally {
    watch.close();
    progress.end();
  }
}

/** Waits for the result of a workflow over any number of broken connections. */
class ResultWatch {
  /** Set once the workflow has ended; rejected when it failed. */
  outcome: Promise<GridResult> | null = null;
  /** The connection broke before it did. */
  lost = false;
  changed: Promise<void>;
  private readonly leave = new AbortController();

  constructor(private readonly handle: WorkflowHandle) {
    // Every round of the long poll listens to it once.
    setMaxListeners(0, this.leave.signal);
    this.changed = this.wait();
  }

  restart(): void {
    if (!this.lost) return;
    this.lost = false;
    this.changed = this.wait();
  }

  /** Without this, the long poll would hold the connection open after the command is done. */
  close(): void {
    this.leave.abort();
  }

  private async wait(): Promise<void> {
    try {
      const result = (await this.handle.client.connection.withAbortSignal(this.leave.signal, () =>
        this.handle.result(),
      )) as GridResult;
      this.outcome = Promise.resolve(result);
    } catch (error) {
      if (this.leave.signal.aborted) return;
      if (!(error instanceof WorkflowFailedError)) {
        this.lost = true;
        return;
      }
      this.outcome = Promise.reject(gridFailed(error));
      this.outcome.catch(() => null); // read by the next look
    }
  }
}

function gridFailed(error: WorkflowFailedError): LlmxError {
  const cause = error.cause;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = inner instanceof Error ? inner.message : error.message;
  return new LlmxError('grid_failed', { reason }, { cause: error });
}

function holderOf(state: GridState, { hostHolder }: FollowOptions): Promise<string | null> {
  return state.phase === 'running' ? hostHolder() : Promise.resolve(null);
}

function describe(state: GridState, repeats: number, holder: string | null): string {
  const { counters } = state;
  const tally = `${counters.passed} passed, ${counters.failed} failed, ${counters.withoutResult} without a result`;
  switch (state.phase) {
    case 'running': {
      const now = state.running === null ? '' : `${cellLabel(state.running, repeats)} · `;
      const waits = holder === null ? '' : `waits for the host (${holder} has it) · `;
      return `${counters.attempted}/${counters.total} cells · ${waits}${now}${tally}`;
    }
    case 'paused':
      return `paused: ${state.reason ?? ''}`;
    case 'waiting':
      return 'preflight is YELLOW: waiting for approve or reject';
    case 'preflight':
      return 'preflight';
    case 'quota':
    case 'done':
    case 'stopped':
      return `${state.phase} · ${tally}`;
  }
}
