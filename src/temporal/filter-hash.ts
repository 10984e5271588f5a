import type { GridFilters } from '../domain/plan/cell.js';
import { canonicalJson, sha256 } from '../support/hash.js';

/** Eight hex digits; equal filters have equal hashes. The order of agents counts: it is the order of trials. */
export function filterHash(filters: GridFilters): string {
  const { app, agents, task } = filters;
  return sha256(canonicalJson({ app, agents, task })).slice(0, 8);
}
