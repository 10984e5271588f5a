/** What the body of a provider's error answer says. */

import { numberAt, objectAt, parseObject, textAt, type JsonObject } from '../../json-value.js';
import type { Reset } from './ending.js';

export interface ErrorBody {
  /** Null: the body alone does not say it. */
  readonly reason: 'quota' | 'overload' | 'model' | null;
  /** Somebody has to pay or to raise a limit; time alone does not help. */
  readonly needsPerson: boolean;
  readonly reset: Reset | null;
}

const NOTHING: ErrorBody = { reason: null, needsPerson: false, reset: null };

/** Z.ai's numbers. */
const QUOTA_CODES = new Set(['1308', '1310', '1316', '1317', '1318', '1319', '1320', '1321']);
const THROTTLE_CODE = '1302';
const BALANCE_CODE = '1113';

const QUOTA_TYPES = new Set(['usage_limit_reached', 'GoUsageLimitError', 'FreeUsageLimitError']);
const MONEY_TYPES = new Set(['insufficient_quota', 'billing_error', BALANCE_CODE]);
const OVERLOAD_TYPES = new Set(['overloaded_error', 'server_is_overloaded', 'slow_down']);
const THROTTLE_TYPES = new Set([
  'rate_limit_error',
  'rate_limit_exceeded',
  'too_many_requests',
  THROTTLE_CODE,
]);
const MODEL_TYPES = new Set(['model_not_found', 'usage_not_included']);

/** @param nowMs when the answer came */
export function readErrorBody(body: string, nowMs: number): ErrorBody {
  const error = objectAt(parseObject(body), 'error');
  const code = error?.['code'];
  const number = typeof code === 'number' ? String(code) : null;
  const detail = textAt(objectAt(error, 'details'), 'error_code');
  const names = [detail, textAt(error, 'code') ?? number, textAt(error, 'type')];
  const is = (known: ReadonlySet<string>): boolean =>
    names.some((name) => name !== null && known.has(name));
  if (detail === 'enforced_spend_limit_reached') {
    return { reason: 'quota', needsPerson: true, reset: nextMonth(nowMs) };
  }
  if (is(MONEY_TYPES)) return { reason: 'quota', needsPerson: true, reset: null };
  if (is(QUOTA_TYPES) || is(QUOTA_CODES)) {
    return { reason: 'quota', needsPerson: false, reset: resetIn(error, nowMs) };
  }
  if (is(MODEL_TYPES)) return { ...NOTHING, reason: 'model' };
  return is(OVERLOAD_TYPES) || is(THROTTLE_TYPES) ? { ...NOTHING, reason: 'overload' } : NOTHING;
}

function resetIn(error: JsonObject | null, nowMs: number): Reset | null {
  const at = numberAt(error, 'resets_at');
  const after = numberAt(error, 'resets_in_seconds');
  if (at !== null) return { atMs: at * 1000, precision: 'second' };
  return after === null ? null : { atMs: nowMs + after * 1000, precision: 'second' };
}

/** Spend limits of organizations start anew at 00:00 UTC on the first. */
function nextMonth(nowMs: number): Reset {
  const now = new Date(nowMs);
  return {
    atMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
    precision: 'second',
  };
}
