import { setCurrentDetails } from '@temporalio/workflow';
import type {
  CellFailure,
  GridCounters,
  GridInput,
  GridState,
  PreflightReport,
} from '../domain/grid/contracts.js';
import { EMPTY_COUNTERS, MAX_LISTED_FAILURES } from '../domain/grid/counters.js';
import type { PlannedCell } from '../domain/plan/cell.js';
import { cellLabel } from '../domain/plan/cell.js';
import { checksAsMarkdown } from '../domain/preflight/markdown.js';
import { publishFacts } from './publish.js';

const RECENT_ROWS = 10;

/** Everything a person can ask a running grid, and where it is published. */
export class GridProgress {
  private phase: GridState['phase'] = 'preflight';
  private preflight: PreflightReport | null = null;
  private running: GridState['running'] = null;
  private reason: string | null = null;
  private recent: readonly string[] = [];
  counters: GridCounters;
  failures: readonly CellFailure[];

  constructor(private readonly input: GridInput) {
    this.counters = input.carry?.counters ?? EMPTY_COUNTERS;
    this.failures = input.carry?.failures ?? [];
    this.preflight = input.carry?.preflight ?? null;
  }

  state(): GridState {
    return {
      phase: this.phase,
      verdict: this.preflight?.verdict ?? null,
      preflight: this.preflight,
      counters: this.counters,
      running: this.running,
      reason: this.reason,
      failures: this.failures,
    };
  }

  enter(phase: GridState['phase'], reason: string | null = null): void {
    this.phase = phase;
    this.reason = reason;
    this.running = null;
    this.publish();
  }

  checked(phase: GridState['phase'], report: PreflightReport | null): void {
    this.preflight = report;
    this.enter(phase);
  }

  started(cell: PlannedCell, startedAt: string): void {
    this.phase = 'running';
    this.running = { ...cell, startedAt };
  }

  ended(cell: PlannedCell, outcome: string, failure: CellFailure | null): void {
    this.running = null;
    if (failure !== null && this.failures.length < MAX_LISTED_FAILURES) {
      this.failures = [...this.failures, failure];
    }
    const row = `| ${cell.index} | ${cellLabel(cell, this.input.repeats)} | ${outcome} |`;
    this.recent = [row, ...this.recent].slice(0, RECENT_ROWS);
    this.publish();
  }

  private publish(): void {
    const { attempted, total, passed, failed, withoutResult, spentUsd } = this.counters;
    publishFacts(this.input.useSearchAttributes, {
      phase: this.phase,
      done: attempted,
      total,
      verdict: this.preflight?.verdict ?? null,
      spentUsd,
      reason: this.reason,
    });
    const waiting = this.phase === 'waiting' && this.preflight !== null;
    setCurrentDetails(
      waiting && this.preflight !== null
        ? checksAsMarkdown(this.preflight.verdict, this.preflight.checks)
        : [
            `**${this.phase}**${this.reason === null ? '' : `: ${this.reason}`} · ${attempted} of ${total} cells · ${passed} passed, ${failed} failed, ${withoutResult} without a result`,
            '',
            '| cell | task / agent / condition | outcome |',
            '|---|---|---|',
            ...this.recent,
          ].join('\n'),
    );
  }
}
