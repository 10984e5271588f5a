import type { Cell } from '../domain/plan/cell.js';
import { stampOf } from '../domain/trial/stamp.js';
import { sha256 } from '../support/hash.js';

export { stateIdOf } from '../storage/state-id.js';

/** Names one attempt for ever; derived, so that every process computes the same. */
export function trialIdOf(
  experimentKey: string,
  cell: Omit<Cell, 'repeat'>,
  stamp: string,
): string {
  return [experimentKey, cell.task, cell.agent, cell.condition, stamp].join('/');
}

/** Short form for folders, process markers and container names. */
export function trialHashOf(trialId: string): string {
  return sha256(trialId).slice(0, 20);
}

/** `YYYYMMDDTHHMMSSZ`, one second later. */
export function nextStamp(stamp: string): string {
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const later = new Date(new Date(iso).getTime() + 1_000).toISOString();
  return stampOf(later);
}
