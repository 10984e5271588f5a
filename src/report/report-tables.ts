/** The tables of a report, the same for the terminal and for Markdown. */

import { comparisonTables } from './comparison-tables.js';
import { formatMetric, formatShare, isShown } from './metrics.js';
import type { ArmRate, Exclusion, ReportModel } from './report-types.js';
import { left, right, type Table } from './text-table.js';

/** One sentence with every count. */
export function summaryLine(model: ReportModel): string {
  const parts = [
    `${plural(model.trials, 'trial')}, ${model.counted} passed`,
    plural(model.void, 'void attempt'),
    `${model.ungraded} ungraded`,
  ];
  if (model.planned !== null && model.missing !== null && model.missing > 0) {
    parts.push(`${model.missing} of ${model.planned} planned results missing`);
  }
  return parts.join('; ');
}

/** Tables with at least one row, in reading order. */
export function reportTables(model: ReportModel, primary: readonly string[]): readonly Table[] {
  const tables = [
    ratesTable(model),
    mediansTable(model, primary),
    ...comparisonTables(model, primary),
    flagsTable(model),
    excludedTable(model),
  ];
  return tables.filter((table) => table.rows.length > 0);
}

function ratesTable(model: ReportModel): Table {
  return {
    title: 'Pass rates (all trials; 95% Wilson interval)',
    columns: [
      left('agent'),
      left('task'),
      left('condition'),
      right('passed'),
      right('rate'),
      right('interval'),
      right('void'),
      right('ungraded'),
    ],
    rows: model.rates.map((rate) => [
      rate.agent,
      rate.task,
      rate.condition,
      `${rate.passed}/${rate.n}`,
      formatShare(rate.rate),
      interval(rate),
      String(rate.void),
      String(rate.ungraded),
    ]),
  };
}

/** One row per agent, task and metric, one column per condition. */
function mediansTable(model: ReportModel, primary: readonly string[]): Table {
  const shown = model.medians.filter((entry) => isShown(entry.metric, primary));
  const { conditions } = model;
  const rows = new Map<string, string[]>();
  for (const { agent, task, metric, condition, median, n } of shown) {
    const key = JSON.stringify([agent, task, metric]);
    const row = rows.get(key) ?? [agent, task, metric, ...conditions.map(() => '-')];
    rows.set(key, row);
    row[3 + conditions.indexOf(condition)] = `${formatMetric(metric, median)} (${n})`;
  }
  return {
    title: 'Medians (passed trials only; n in brackets)',
    columns: [left('agent'), left('task'), left('metric'), ...conditions.map(right)],
    rows: [...rows.values()],
  };
}

function flagsTable(model: ReportModel): Table {
  return {
    title: 'What weakens these results',
    columns: [left('flag'), left('agent'), left('task'), left('what was found')],
    rows: model.flags.map(({ code, agent, task, message }) => {
      return [code, agent ?? '-', task ?? '-', message];
    }),
  };
}

function excludedTable(model: ReportModel): Table {
  return {
    title: 'Attempts that are no trial',
    columns: [right('count'), left('reason'), left('for example')],
    rows: model.excluded.map((entry) => [
      String(entry.count),
      reasonText(entry),
      entry.examples[0] ?? '',
    ]),
  };
}

const REASONS: Readonly<Record<Exclusion['reason'], string>> = {
  void: 'void',
  ungraded: 'ungraded',
  unfinished: 'unfinished (no meta.json)',
  'no-metrics': 'no metrics.json',
  unreadable: 'unreadable',
  unnamed: 'no task, agent and condition in metrics.json',
};

function reasonText({ reason, detail }: Exclusion): string {
  return detail === null ? REASONS[reason] : `${REASONS[reason]}: ${detail}`;
}

function interval({ wilsonLow, wilsonHigh }: ArmRate): string {
  return wilsonLow === null ? '-' : `${formatShare(wilsonLow)} to ${formatShare(wilsonHigh)}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
