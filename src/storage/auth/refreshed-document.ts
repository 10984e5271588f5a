import { jwtExpiry, objectOf, text, type JsonObject } from './credential-facts.js';
import type { LoginAgent } from './login-agent.js';

/** No provider's access token lives longer; a later end would keep every true one out. */
const LONGEST_LIFE_MS = 400 * 24 * 3_600_000;

/** How far two clocks may be apart. */
const CLOCK_SKEW_MS = 24 * 3_600_000;

export type Refreshed =
  | { readonly status: 'newer'; readonly document: JsonObject }
  | { readonly status: 'same' }
  | { readonly status: 'refused'; readonly reason: string };

/**
 * The stored document with the tokens that a CLI got during a trial. Only tokens and their times are taken:
 * whatever else an agent may have written into its file stays out of the store.
 */
export function refreshedDocument(
  agent: LoginAgent,
  stored: JsonObject,
  found: JsonObject,
  nowMs: number,
): Refreshed {
  switch (agent) {
    case 'claude':
      return claude(stored, found, nowMs);
    case 'codex':
      return codex(stored, found, nowMs);
    case 'opencode':
      return opencode(stored, found, nowMs);
  }
}

function claude(stored: JsonObject, found: JsonObject, nowMs: number): Refreshed {
  const [was, is] = [objectOf(stored['claudeAiOauth']), objectOf(found['claudeAiOauth'])];
  const tokens = taken(is, ['accessToken', 'refreshToken']);
  if (tokens === null) return refused('a token is missing or empty');
  const age = compareMs(was['expiresAt'], is['expiresAt'], nowMs + LONGEST_LIFE_MS);
  if (age !== null) return age;
  const end = is['refreshTokenExpiresAt'];
  const times = {
    expiresAt: is['expiresAt'],
    ...(typeof end === 'number' ? { refreshTokenExpiresAt: end } : {}),
  };
  return newer({ ...stored, claudeAiOauth: { ...was, ...tokens, ...times } });
}

function codex(stored: JsonObject, found: JsonObject, nowMs: number): Refreshed {
  const [was, is] = [objectOf(stored['tokens']), objectOf(found['tokens'])];
  const tokens = taken(is, ['id_token', 'access_token', 'refresh_token']);
  if (tokens === null) return refused('a token is missing or empty');
  if (isOther(was['account_id'], is['account_id'])) return refused('it is of another account');
  const byTime = hasTime(stored) && hasTime(found);
  const ageOf = byTime ? lastRefreshMs : accessExpiryMs;
  const latestMs = nowMs + (byTime ? CLOCK_SKEW_MS : LONGEST_LIFE_MS);
  const age = compareMs(ageOf(stored), ageOf(found), latestMs);
  if (age !== null) return age;
  const last = hasTime(found) ? { last_refresh: found['last_refresh'] } : {};
  return newer({ ...stored, tokens: { ...was, ...tokens }, ...last });
}

function opencode(stored: JsonObject, found: JsonObject, nowMs: number): Refreshed {
  const changed: Record<string, unknown> = {};
  let kept: Refreshed = { status: 'same' };
  for (const [provider, value] of Object.entries(stored)) {
    const [was, is] = [objectOf(value), objectOf(found[provider])];
    if (was['type'] !== 'oauth' || !Object.hasOwn(found, provider)) continue;
    const entry = opencodeEntry(was, is, nowMs);
    if (entry.status === 'newer') changed[provider] = entry.document;
    else if (entry.status === 'refused') kept = entry;
  }
  return Object.keys(changed).length === 0 ? kept : newer({ ...stored, ...changed });
}

function opencodeEntry(was: JsonObject, is: JsonObject, nowMs: number): Refreshed {
  const tokens = taken(is, ['access', 'refresh']);
  if (tokens === null) return refused('a token is missing or empty');
  if (isOther(was['accountId'], is['accountId'])) return refused('it is of another account');
  const age = compareMs(was['expires'], is['expires'], nowMs + LONGEST_LIFE_MS);
  return age ?? newer({ ...was, ...tokens, expires: is['expires'] });
}

/** Null when one is missing or empty. */
function taken(from: JsonObject, names: readonly string[]): Record<string, string> | null {
  const tokens: Record<string, string> = {};
  for (const name of names) {
    const value = text(from[name]);
    if (value === null) return null;
    tokens[name] = value;
  }
  return tokens;
}

/** Null when the second is newer. */
function compareMs(was: unknown, is: unknown, latestMs: number): Refreshed | null {
  if (typeof is !== 'number' || !Number.isFinite(is)) {
    return refused('it does not say how new it is');
  }
  if (is === was) return { status: 'same' };
  if (is > latestMs) return refused('its time lies too far ahead');
  return typeof was === 'number' && is < was ? refused('it is older') : null;
}

function lastRefreshMs(document: JsonObject): number {
  return Date.parse(String(document['last_refresh']));
}

function accessExpiryMs(document: JsonObject): number | null {
  const expiry = jwtExpiry(text(objectOf(document['tokens'])['access_token']));
  return expiry === null ? null : Date.parse(expiry);
}

function hasTime({ last_refresh: time }: JsonObject): boolean {
  return typeof time === 'string' && Number.isFinite(Date.parse(time));
}

function isOther(was: unknown, is: unknown): boolean {
  return typeof was === 'string' && was !== is;
}

function newer(document: JsonObject): Refreshed {
  return { status: 'newer', document };
}

function refused(reason: string): Refreshed {
  return { status: 'refused', reason };
}
