import { ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { GridCarry, GridState } from '../domain/grid/contracts.js';
import {
  cancelSignal,
  cancelUpdate,
  pauseSignal,
  pauseUpdate,
  resumeSignal,
  resumeUpdate,
  skipSignal,
  skipUpdate,
} from './messages.js';

type Carried = Pick<GridCarry, 'pauseReason' | 'skipped'>;

/** What a person wants of a running grid. Signals and updates of one name do the same. */
export class Control {
  /** Cancelling it cancels the grid: the one way in which a person stops a running trial. */
  readonly grid = new CancellationScope();
  private pauseReason: string | null;
  private isWaiting = false;
  private readonly skipped: Set<number>;
  private trial: { readonly index: number; readonly scope: CancellationScope } | null = null;

  constructor(
    carried: Carried | null,
    private readonly state: () => GridState,
    private readonly onResume: () => void,
  ) {
    this.pauseReason = carried?.pauseReason ?? null;
    this.skipped = new Set(carried?.skipped ?? []);
  }

  listen(): void {
    const skip = (index: number): string => this.skip(index);
    setHandler(pauseSignal, () => void this.pause('paused by a person'));
    setHandler(resumeSignal, () => void this.resume());
    setHandler(cancelSignal, () => void this.cancel());
    setHandler(skipSignal, (index) => void skip(index));
    setHandler(pauseUpdate, () => this.pause('paused by a person'), {
      validator: () => {
        this.assertOpen();
      },
    });
    setHandler(resumeUpdate, () => this.resume(), {
      validator: () => {
        this.assertOpen();
        if (this.pauseReason === null && !this.isWaiting)
          throw refusal('grid_not_paused', this.state().phase);
      },
    });
    setHandler(cancelUpdate, () => this.cancel(), {
      validator: () => {
        this.assertOpen();
      },
    });
    setHandler(skipUpdate, skip, {
      validator: (index) => {
        this.assertOpen();
        if (!Number.isInteger(index) || index < 1) throw refusal('unknown_cell', String(index));
      },
    });
  }

  get reason(): string | null {
    return this.pauseReason;
  }

  /** The first reason holds until somebody resumes. */
  pause(reason: string): string {
    this.pauseReason ??= reason;
    const { running } = this.state();
    return running === null
      ? 'the grid is paused'
      : `the grid pauses when cell ${running.index} has ended`;
  }

  isSkipped(index: number): boolean {
    return this.skipped.has(index);
  }

  /** Runs one cell so that a skip of it ends its trial and nothing else. */
  async skippable<T>(index: number, work: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope();
    this.trial = { index, scope };
    try {
      return await scope.run(work);
    } finally {
      this.trial = null;
    }
  }

  carried(): Carried {
    return { pauseReason: this.pauseReason, skipped: [...this.skipped] };
  }

  /** Waits for a time, or until a person wants to go on before it. */
  async wait(ms: number): Promise<void> {
    this.isWaiting = true;
    try {
      await condition(() => !this.isWaiting, ms);
    } finally {
      this.isWaiting = false;
    }
  }

  private resume(): string {
    this.pauseReason = null;
    this.isWaiting = false;
    this.onResume();
    return 'the grid goes on';
  }

  private cancel(): string {
    this.grid.cancel();
    return 'the grid is being cancelled; the running trial is stopped';
  }

  private skip(index: number): string {
    this.skipped.add(index);
    if (this.trial?.index !== index) return `cell ${index} will be left out`;
    this.trial.scope.cancel();
    return `cell ${index} is being stopped and left out`;
  }

  private assertOpen(): void {
    const { phase } = this.state();
    if (phase === 'done' || phase === 'stopped') throw refusal('grid_ended', phase);
  }
}

function refusal(type: string, detail: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message: detail, nonRetryable: true });
}
