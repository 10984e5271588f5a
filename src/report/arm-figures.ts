/** The figures of one arm, and of two by their pass rates. */

import { fisherExactP } from '../domain/statistics/fisher-exact.js';
import { median } from '../domain/statistics/median.js';
import { wilsonInterval } from '../domain/statistics/wilson.js';
import { compareText } from './compare-text.js';
import { metricRank } from './metrics.js';
import type { ArmMedian, ArmRate, RateComparison } from './report-types.js';
import type { ArmTally } from './tally.js';

export function armRate(tally: ArmTally): ArmRate {
  const { arm, n, passed, void: voids, ungraded, costUsd } = tally;
  const interval = wilsonInterval(passed, n);
  const attempts = n + voids;
  return {
    ...arm,
    n,
    passed,
    rate: n === 0 ? null : passed / n,
    wilsonLow: interval?.low ?? null,
    wilsonHigh: interval?.high ?? null,
    void: voids,
    ungraded,
    rateIfVoidsFailed: attempts === 0 ? null : passed / attempts,
    rateIfVoidsPassed: attempts === 0 ? null : (passed + voids) / attempts,
    costPerPassUsd: costUsd === null || passed === 0 ? null : costUsd / passed,
  };
}

export function armMedians({ arm, values }: ArmTally): readonly ArmMedian[] {
  return [...values]
    .sort(([a], [b]) => metricRank(a) - metricRank(b) || compareText(a, b))
    .flatMap(([metric, numbers]) => {
      const middle = median(numbers);
      return middle === null ? [] : [{ ...arm, metric, n: numbers.length, median: middle }];
    });
}

/** Every pair of arms of one agent and task. @param rates by agent, task and condition */
export function rateComparisons(rates: readonly ArmRate[]): readonly RateComparison[] {
  return rates.flatMap((a, index) => {
    const pairs: RateComparison[] = [];
    for (let other = index + 1; other < rates.length; other++) {
      const b = rates[other];
      if (b?.agent !== a.agent || b.task !== a.task) break;
      pairs.push(rateComparison(a, b));
    }
    return pairs;
  });
}

function rateComparison(a: ArmRate, b: ArmRate): RateComparison {
  return {
    agent: a.agent,
    task: a.task,
    a: a.condition,
    b: b.condition,
    passedA: a.passed,
    nA: a.n,
    passedB: b.passed,
    nB: b.n,
    p: fisherExactP(a, b),
  };
}
