/** Values computed by other software for the tree in test/fixtures/synthetic-results. */

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCli } from '../fixtures/built-cli.js';

jest.setTimeout(60_000);

const FOLDER = fileURLToPath(new URL('../fixtures/synthetic-results/', import.meta.url));

interface Expected {
  readonly rows: number;
  readonly counted: number;
  readonly aborted_without_metrics: number;
  readonly comparisons: readonly {
    readonly agent: string;
    readonly task: string;
    readonly metric: string;
    readonly n_a: number;
    readonly n_b: number;
    readonly median_a: number | null;
    readonly median_b: number | null;
    readonly pct?: number | null;
    readonly U?: number;
    readonly cliffs_delta?: number;
    readonly hodges_lehmann?: number;
    readonly p: number | null;
    readonly p_fraction?: string;
  }[];
  readonly sign: readonly {
    readonly agent: string;
    readonly metric: string;
    readonly wins: number;
    readonly losses: number;
    readonly ties: number;
    readonly p: number;
  }[];
}

interface ReportJson {
  readonly comparisons: readonly { agent: string; task: string; metric: string }[];
  readonly signTests: readonly { agent: string; metric: string }[];
  readonly flags: readonly { code: string; message: string; agent: string; task: string }[];
}

const expected = JSON.parse(readFileSync(`${FOLDER}expected.json`, 'utf8')) as Expected;
const close = (value: number | null | undefined): unknown =>
  typeof value === 'number' ? expect.closeTo(value, 10) : null;

describe('report --results of a tree of the Ruby gem', () => {
  let report: ReportJson;

  beforeAll(async () => {
    const run = await runCli(['report', '--results', 'results', '--json'], { cwd: FOLDER });
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    report = run.json<ReportJson>();
  });

  it('counts rows, trials that passed and attempts that were aborted', () => {
    expect(report).toMatchObject({
      schemaVersion: 1,
      kind: 'report',
      trials: expected.rows,
      counted: expected.counted,
      void: expected.aborted_without_metrics,
    });
  });

  it.each(expected.comparisons)('compares $metric of $agent on $task', (known) => {
    const { agent, task, metric } = known;
    const found = report.comparisons.filter(
      (row) => row.agent === agent && row.task === task && row.metric === metric,
    );
    expect(found).toEqual([
      expect.objectContaining({
        a: 'base',
        b: 'treat',
        nA: known.n_a,
        nB: known.n_b,
        medianA: known.median_a,
        medianB: known.median_b,
        percentChange: close(known.pct),
        u: known.U ?? null,
        p: close(known.p),
        pFraction: known.p_fraction ?? null,
        hodgesLehmann: known.hodges_lehmann ?? null,
        cliffsDelta: close(known.cliffs_delta),
      }),
    ]);
  });

  it.each(expected.sign)('tests the signs of $metric over the tasks of $agent', (known) => {
    const { agent, metric, wins, losses, ties } = known;
    const found = report.signTests.filter((row) => row.agent === agent && row.metric === metric);
    expect(found).toEqual([
      expect.objectContaining({ wins, losses, ties, n: wins + losses, p: close(known.p) }),
    ]);
  });

  it('has a row for every metric, with nulls where nothing was measured', () => {
    const row = report.comparisons.find(({ metric }) => metric === 'wall_seconds');
    expect(row).toMatchObject({ nA: 0, nB: 0, medianA: null, p: null, ci: null, holmP: null });
  });

  it('says what is wrong with the order of the trials', () => {
    const codes = report.flags.filter(({ agent, task }) => agent === 'claude' && task === 'gamma');
    expect(codes.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['never-interleaved', 'no-time-overlap']),
    );
  });

  it('reads the parent folder of the tree as well', async () => {
    const run = await runCli(['report', '--results', '.', '--json'], { cwd: FOLDER });
    expect(run.json()).toEqual(report);
  });
});
