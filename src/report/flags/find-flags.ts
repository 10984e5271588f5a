import { contaminated } from './contaminated.js';
import { drift } from './drift.js';
import type { Flag, FlagRule, FlagSubject } from './flag-types.js';
import { keysDiffer } from './keys-differ.js';
import { modelDiffers } from './model-differs.js';
import { multiplicity } from './multiplicity.js';
import { neverInterleaved } from './never-interleaved.js';
import { noTimeOverlap } from './no-time-overlap.js';
import { overlappingTrials } from './overlapping-trials.js';
import { toolchainDiffers } from './toolchain-differs.js';
import { underpowered } from './underpowered.js';
import { voidImbalance } from './void-imbalance.js';
import { weakPass } from './weak-pass.js';

/** What spoils a comparison first, what weakens it last. */
const RULES: readonly FlagRule[] = [
  contaminated,
  modelDiffers,
  toolchainDiffers,
  keysDiffer,
  overlappingTrials,
  neverInterleaved,
  noTimeOverlap,
  drift,
  voidImbalance,
  weakPass,
  underpowered,
  multiplicity,
];

/** All flags, by rule, then by agent and task. */
export function findFlags(subject: FlagSubject): readonly Flag[] {
  return RULES.flatMap((rule) => rule(subject));
}
