import type { LoginAgent } from './login-agent.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What may be told about a credential. Times are ISO-8601 UTC; null where the file does not say. */
export interface CredentialFacts {
  readonly kind: 'login' | 'api-key';
  /** opencode keeps one credential for each provider; null elsewhere. */
  readonly provider: string | null;
  /** Until then the access token works; after it the CLI asks for another with the refresh token. */
  readonly accessExpiresAt: string | null;
  /** False also for an empty one. Always false for a key. */
  readonly hasRefreshToken: boolean;
  readonly refreshExpiresAt: string | null;
}

/**
 * Why a credential is of no use, or null. An access token that has expired is no reason: the CLI gets
 * another. A login without a refresh token ends within hours, so it is one.
 */
export function credentialProblem(facts: CredentialFacts, nowMs: number): string | null {
  if (facts.kind === 'api-key') return null;
  if (!facts.hasRefreshToken) return 'the login has no refresh token';
  const { refreshExpiresAt } = facts;
  if (refreshExpiresAt === null || Date.parse(refreshExpiresAt) > nowMs) return null;
  return `the login expired at ${refreshExpiresAt}`;
}

/** The facts in a CLI's own credential file. Empty when it holds no credential. */
export function readFacts(agent: LoginAgent, document: JsonObject): readonly CredentialFacts[] {
  switch (agent) {
    case 'claude':
      return claudeFacts(document);
    case 'codex':
      return codexFacts(document);
    case 'opencode':
      return Object.entries(document).flatMap(([provider, entry]) =>
        opencodeFacts(provider, objectOf(entry)),
      );
  }
}

/** The API key in a CLI's own credential file, or null. */
export function keyIn(
  agent: LoginAgent,
  document: JsonObject,
  provider: string | null,
): string | null {
  if (agent === 'codex') return text(document['OPENAI_API_KEY']);
  if (agent === 'claude' || provider === null) return null;
  const entry = objectOf(document[provider]);
  return entry['type'] === 'api' ? text(entry['key']) : null;
}

/** `{"claudeAiOauth": {accessToken, refreshToken, expiresAt (ms), …}}`. */
function claudeFacts(document: JsonObject): readonly CredentialFacts[] {
  const oauth = objectOf(document['claudeAiOauth']);
  if (!('accessToken' in oauth) && !('refreshToken' in oauth)) return [];
  const refreshToken = text(oauth['refreshToken']);
  return [
    login({
      accessExpiresAt: iso(oauth['expiresAt']),
      hasRefreshToken: refreshToken !== null,
      refreshExpiresAt: iso(oauth['refreshTokenExpiresAt']) ?? jwtExpiry(refreshToken),
    }),
  ];
}

/** `{"OPENAI_API_KEY", "tokens": {id_token, access_token, refresh_token, account_id}, "last_refresh"}`. */
function codexFacts(document: JsonObject): readonly CredentialFacts[] {
  const isKey = document['auth_mode'] === 'apikey' || document['tokens'] == null;
  if (isKey) return text(document['OPENAI_API_KEY']) === null ? [] : [apiKey(null)];
  const tokens = objectOf(document['tokens']);
  const refreshToken = text(tokens['refresh_token']);
  return [
    login({
      accessExpiresAt: jwtExpiry(text(tokens['access_token'])),
      hasRefreshToken: refreshToken !== null,
      refreshExpiresAt: jwtExpiry(refreshToken),
    }),
  ];
}

/** `{type: "oauth", refresh, access, expires (ms)}`, `{type: "api", key}` or `{type: "wellknown", token}`. */
function opencodeFacts(provider: string, entry: JsonObject): readonly CredentialFacts[] {
  switch (entry['type']) {
    case 'api':
      return text(entry['key']) === null ? [] : [apiKey(provider)];
    case 'oauth': {
      const refresh = text(entry['refresh']);
      return [
        login({
          provider,
          accessExpiresAt: iso(entry['expires']),
          hasRefreshToken: refresh !== null,
          refreshExpiresAt: jwtExpiry(refresh),
        }),
      ];
    }
    case 'wellknown': {
      const token = text(entry['token']);
      const refreshExpiresAt = jwtExpiry(token);
      return [login({ provider, hasRefreshToken: token !== null, refreshExpiresAt })];
    }
    default:
      return [];
  }
}

function login(
  facts: Partial<CredentialFacts> & Pick<CredentialFacts, 'hasRefreshToken'>,
): CredentialFacts {
  return { kind: 'login', provider: null, accessExpiresAt: null, refreshExpiresAt: null, ...facts };
}

export function apiKey(provider: string | null): CredentialFacts {
  return {
    kind: 'api-key',
    provider,
    accessExpiresAt: null,
    hasRefreshToken: false,
    refreshExpiresAt: null,
  };
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** Null for an empty one, too. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Of milliseconds since 1970. opencode writes 0 for a token that never expires. */
function iso(value: unknown): string | null {
  if (typeof value !== 'number' || value <= 0 || value > 8.64e15) return null;
  return new Date(value).toISOString();
}

/** `exp` of a JSON web token (RFC 7519, seconds); null for any other token. */
export function jwtExpiry(token: string | null): string | null {
  const payload = token?.split('.')[1];
  if (payload === undefined) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { exp } = objectOf(claims);
    return typeof exp === 'number' ? iso(exp * 1000) : null;
  } catch {
    return null; // two dots alone make no web token
  }
}
