/** One rank-sum test over several blocks (tasks) that are never pooled: labels move inside blocks only. */

import { convolved } from './convolved.js';
import { doubledMidRanks } from './mid-ranks.js';
import { doubledRankSumVariance, normalTwoSidedP } from './rank-sum-normal.js';
import { subsetSums } from './subset-sums.js';

/** Additions above which p is the normal approximation: about a tenth of a second. */
const MOST_WORK = 1e8;

/** Counts up to here are whole numbers that are not rounded. */
const LARGEST_EXACT = 2 ** 53;

export interface Block {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

export interface BlockedRankSumTest {
  /** Blocks with both arms; the others say nothing about the difference. */
  readonly blocks: number;
  /** Sum over blocks of U of b minus its mean nA·nB/2: above 0 where b tends to be larger. */
  readonly sumCentredU: number;
  readonly p: number;
  /** Not reduced; null above 2^53 assignments. */
  readonly pFraction: string | null;
  /** The smallest p that these values could give. Null where p is an approximation. */
  readonly minP: number | null;
  readonly pMethod: 'exact' | 'normal';
}

/**
 * p is the share of all assignments that keep the sizes of the arms in every block for which the sum of
 * centred U is at least as far from 0 as here (R: `coin::wilcox_test(value ~ arm | block, distribution =
 * "exact")` weighs blocks by rank sums as this does). Null without a block that has both arms.
 * Source: P. van Elteren, Bulletin of the International Statistical Institute 37, 1960, unweighted.
 */
export function blockedRankSumTest(blocks: readonly Block[]): BlockedRankSumTest | null {
  const ranked = blocks.filter(({ a, b }) => a.length > 0 && b.length > 0).map(rankedBlock);
  if (ranked.length === 0) return null;
  const distance = ranked.reduce((sum, block) => sum + block.distance, 0);
  return {
    blocks: ranked.length,
    sumCentredU: distance / 2,
    ...(workOf(ranked) > MOST_WORK ? approximated(ranked, distance) : counted(ranked, distance)),
  };
}

interface RankedBlock {
  /** Doubled mid-ranks of both arms, ascending. */
  readonly ranks: readonly number[];
  /** Values in b. */
  readonly size: number;
  /** Doubled rank sum of b minus its mean. */
  readonly distance: number;
}

function rankedBlock({ a, b }: Block): RankedBlock {
  const { ofValues, ascending } = doubledMidRanks([...b, ...a]);
  const rankSum = ofValues.slice(0, b.length).reduce((sum, rank) => sum + rank, 0);
  return {
    ranks: ascending,
    size: b.length,
    distance: rankSum - b.length * (ascending.length + 1),
  };
}

/** Additions that counting takes, about. */
function workOf(blocks: readonly RankedBlock[]): number {
  let work = 0;
  let span = 1;
  for (const { ranks, size } of blocks) {
    const own = 2 * size * (ranks.length - size);
    work += (ranks.length * size * own) / 3 + span * own;
    span += own;
  }
  return work;
}

type TestResult = Pick<BlockedRankSumTest, 'p' | 'pFraction' | 'minP' | 'pMethod'>;

function counted(blocks: readonly RankedBlock[], distance: number): TestResult {
  let smallest = 0; // the lowest possible sum of distances
  let all = 1;
  const parts = blocks.map(({ ranks, size }) => {
    const sums = subsetSums(ranks, size)[size];
    const counts = sums?.counts ?? Float64Array.of(1);
    smallest += (sums?.smallest ?? 0) - size * (ranks.length + 1);
    const ways = counts.reduce((sum, count) => sum + count, 0);
    all *= ways;
    return { counts, ways };
  });
  const isExact = all < LARGEST_EXACT;
  const assignments = parts
    .map(({ counts, ways }) => (isExact ? counts : counts.map((count) => count / ways)))
    .reduce(convolved, Float64Array.of(1));
  const total = isExact ? all : 1;
  const atLeast = (far: number): number => {
    const extreme = assignments.filter((_ways, index) => Math.abs(smallest + index) >= far);
    return extreme.reduce((sum, ways) => sum + ways, 0);
  };
  const farthest = Math.max(-smallest, smallest + assignments.length - 1);
  const extreme = atLeast(Math.abs(distance));
  return {
    p: Math.min(1, extreme / total),
    pFraction: isExact ? `${extreme}/${all}` : null,
    minP: Math.min(1, atLeast(farthest) / total),
    pMethod: 'exact',
  };
}

function approximated(blocks: readonly RankedBlock[], distance: number): TestResult {
  const variance = blocks.reduce(
    (sum, { ranks, size }) => sum + doubledRankSumVariance(ranks, size),
    0,
  );
  const p = normalTwoSidedP(Math.abs(distance), variance, 1);
  return { p, pFraction: null, minP: null, pMethod: 'normal' };
}
