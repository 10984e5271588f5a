/** What the arms differ in, as tables: the same for a report and for `compare`. */

import { fixedHalfEven, signedPercent } from '../domain/statistics/fixed-half-even.js';
import type { Comparison, Comparisons, Verdict } from './compare/comparison-types.js';
import { formatMetric, isShown } from './metrics.js';
import { left, right, type Table } from './text-table.js';

const VERDICTS: Readonly<Record<Verdict, string>> = {
  higher: 'higher',
  lower: 'lower',
  inconclusive: 'inconclusive',
  'no-data': 'nothing to compare',
};

/**
 * Comparisons that have data, then the tests over tasks, where there is more than one task.
 * @param primary metrics shown beside the usual ones; null shows all
 */
export function comparisonTables(
  { comparisons, signTests, blocked }: Comparisons,
  primary: readonly string[] | null,
): readonly Table[] {
  const isWanted = ({ metric }: { readonly metric: string }): boolean =>
    primary === null || isShown(metric, primary);
  const rows = comparisons.filter((found) => isWanted(found) && found.p !== null);
  const overTasks = signTests.filter(
    (row) => isWanted(row) && row.wins + row.losses + row.ties > 1,
  );
  return [
    comparisonTable(rows),
    {
      title: 'Over tasks (sign test of medians; rank-sum test blocked by task)',
      columns: [
        left('agent'),
        left('metric'),
        left('compared'),
        right('wins'),
        right('sign test p'),
        right('smallest p'),
        right('blocked p'),
      ],
      rows: overTasks.map(({ agent, metric, a, b, wins, n, p, minP }) => {
        const over = blocked.find((row) => {
          return row.agent === agent && row.metric === metric && row.a === a && row.b === b;
        });
        return [
          agent ?? '-',
          metric,
          `${b} v ${a}`,
          `${wins}/${n}`,
          p === null ? 'no non-tied tasks' : formatP(p),
          formatP(minP),
          formatP(over?.p ?? null),
        ];
      }),
    },
  ];
}

function comparisonTable(rows: readonly Comparison[]): Table {
  return {
    title:
      'Comparisons (exact two-sided rank-sum p by |U - mean|; Hodges-Lehmann shift, 95% interval)',
    columns: [
      left('agent'),
      left('task'),
      left('metric'),
      left('compared'),
      right('n'),
      right('medians'),
      right('change'),
      right('shift'),
      right('delta'),
      right('p'),
      right('smallest p'),
      right('Holm p'),
      left('verdict'),
    ],
    rows: rows.map((row) => [
      row.agent ?? '-',
      row.task ?? '-',
      row.metric,
      `${row.b} v ${row.a}`,
      `${row.nB} v ${row.nA}`,
      `${formatNullable(row.metric, row.medianB)} v ${formatNullable(row.metric, row.medianA)}`,
      changeText(row),
      shiftText(row),
      row.cliffsDelta === null ? '-' : fixedHalfEven(row.cliffsDelta, 2),
      `${row.pMethod === 'normal' ? '~' : ''}${formatP(row.p)}`,
      formatP(row.minP),
      formatP(row.holmP),
      VERDICTS[row.verdict],
    ]),
  };
}

/** In percent of the baseline; without percent sign the difference, where the baseline is 0. */
function changeText({ medianA, medianB, percentChange }: Comparison): string {
  if (percentChange !== null) return signedPercent(percentChange);
  if (medianA === null || medianB === null) return '-';
  const difference = fixedHalfEven(medianB - medianA, 1);
  return difference.startsWith('-') ? difference : `+${difference}`;
}

function shiftText({ metric, hodgesLehmann, ci }: Comparison): string {
  if (hodgesLehmann === null) return '-';
  const point = formatMetric(metric, hodgesLehmann);
  if (ci === null) return `${point} (n too small for an interval)`;
  return `${point} [${formatMetric(metric, ci.lo)}, ${formatMetric(metric, ci.hi)}]`;
}

function formatNullable(metric: string, value: number | null): string {
  return value === null ? '-' : formatMetric(metric, value);
}

/** As published tables print it; what would be printed as 0 in powers of ten. */
function formatP(p: number | null): string {
  if (p === null) return '-';
  return p < 0.0005 ? p.toExponential(1) : fixedHalfEven(p, 3);
}
