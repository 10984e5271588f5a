import { describe, expect, it } from '@jest/globals';
import { compareTable } from '../../../src/report/compare/compare-table.js';
import { comparisonTables } from '../../../src/report/comparison-tables.js';
import { renderTextTable } from '../../../src/report/text-table.js';

describe('comparisonTables', () => {
  const rows = [
    ...[3, 3, 4, 5, 9].map((value) => ({ group: 'old', value, block: 'x' })),
    ...[4, 6, 8, 9, 11].map((value) => ({ group: 'new', value, block: 'x' })),
    ...[0, 0, 1].map((value) => ({ group: 'old', value, block: 'y' })),
    ...[1, 2, 2].map((value) => ({ group: 'new', value, block: 'y' })),
    { group: 'new', value: 1, block: 'z' },
  ];
  const question = { metric: 'calls', a: 'old', b: 'new', alpha: 0.05 };

  it('shows both arms, the change, the shift with its interval, p and what it means', () => {
    const tables = comparisonTables(compareTable(rows, question), null);
    const text = tables.map((table) => renderTextTable(table)).join('\n\n');
    expect(`\n${text}\n`).toMatchInlineSnapshot(`
     "
     Comparisons (exact two-sided rank-sum p by |U - mean|; Hodges-Lehmann shift, 95% interval)
     agent  task  metric  compared       n  medians  change                            shift  delta      p  smallest p  Holm p  verdict
     -      x     calls   new v old  5 v 5    8 v 4   +100%                        3 [-1, 7]   0.60  0.143       0.008   0.286  inconclusive
     -      y     calls   new v old  3 v 3    2 v 0    +2.0  1 (n too small for an interval)   0.89  0.200       0.200   0.286  inconclusive

     Over tasks (sign test of medians; rank-sum test blocked by task)
     agent  metric  compared   wins  sign test p  smallest p  blocked p
     -      calls   new v old   2/2        0.500       0.500      0.029
     "
    `);
  });

  it('leaves out metrics that are neither usual nor primary', () => {
    const compared = compareTable(rows, question);
    const lengths = (primary: readonly string[]) =>
      comparisonTables(compared, primary).map((table) => table.rows.length);
    expect(lengths([])).toEqual([0, 0]);
    expect(lengths(['calls'])).toEqual([2, 1]);
  });
});
