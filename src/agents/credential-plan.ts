import type { AgentSpec } from '../domain/experiment/experiment.js';
import { readStoredCredential, type StoredCredential } from '../storage/auth/auth-store.js';
import { credentialProblem } from '../storage/auth/credential-facts.js';
import { authDir, isLoginAgent } from '../storage/auth/login-agent.js';
import type { Environment } from '../support/paths.js';
import { Secret } from '../support/secret.js';
import { keyApiOf, providerOf, type KeyApi, type KeyHeader } from './key-apis.js';

type Asked = Pick<AgentSpec, 'kind' | 'model'>;

/** How an agent gets at its model. */
export type CredentialPlan =
  /** It needs nothing, or may do without. */
  | { readonly status: 'none' }
  /** Its private HOME gets a copy of the stored login. */
  | { readonly status: 'login'; readonly login: StoredLogin }
  /** A proxy outside of its sandbox adds the key. */
  | { readonly status: 'key'; readonly key: ModelKey }
  /** It can't start. The reason holds no secret, and no path of this machine. */
  | { readonly status: 'unusable'; readonly reason: string };

export interface StoredLogin {
  /** The auth store. */
  readonly root: string;
  readonly stored: StoredCredential;
  /** opencode: whose credential of the file is handed out; null for all logins of it. */
  readonly provider: string | null;
}

export interface ModelKey {
  readonly api: KeyApi;
  readonly secret: Secret;
  readonly header: KeyHeader;
  /** Where the API is; the path has no slash at the end. */
  readonly baseUrl: URL;
  /** A person set it, so it may be one of this machine or of a private network. */
  readonly isBaseUrlSet: boolean;
  /** For a reader: the auth store, or the variable. */
  readonly source: string;
}

/**
 * What `login` stored comes first, and is never replaced by a key that happens to be in the environment: an
 * expired login is to be mended, not billed to somebody else.
 */
export async function planCredentials(
  agent: Asked,
  env: Environment,
  nowMs: number,
): Promise<CredentialPlan> {
  const { kind, model } = agent;
  if (!isLoginAgent(kind)) return { status: 'none' };
  const root = authDir(env);
  const stored = await readStoredCredential(root, kind);
  if (stored.fault !== null) return unusable(`auth store: ${stored.fault}`);
  const provider = kind === 'opencode' ? providerOf(model) : null;
  const logins = stored.facts.filter(
    (facts) => facts.kind === 'login' && (provider === null || facts.provider === provider),
  );
  if (logins.length > 0) {
    const problem = logins.map((facts) => credentialProblem(facts, nowMs)).find(Boolean) ?? null;
    return problem === null
      ? { status: 'login', login: { root, stored, provider } }
      : unusable(problem);
  }
  return keyPlan(agent, stored.key(provider), env);
}

function keyPlan(agent: Asked, stored: Secret | null, env: Environment): CredentialPlan {
  const api = keyApiOf(agent, env);
  if (api === null) {
    const provider = providerOf(agent.model) ?? '';
    return stored === null
      ? { status: 'none' }
      : unusable(`llmx does not know where the API of ${provider} is, so it can't add its key`);
  }
  const found = stored === null ? keyOf(api, env) : storedKey(api, stored);
  if (found === null) {
    // opencode has models that ask for neither.
    return agent.kind === 'opencode'
      ? { status: 'none' }
      : unusable('there is no login in the auth store, and no API key');
  }
  if (!/^[\x21-\x7e]+$/.test(found.secret.reveal())) {
    return unusable(`the API key in ${found.source} has characters that no request can carry`);
  }
  const set = (api.baseUrlVariable === null ? null : env[api.baseUrlVariable]) ?? '';
  const baseUrl = readBaseUrl(set === '' ? api.baseUrl : withVersion(agent, api, set));
  if (baseUrl === null) {
    return unusable(`${api.baseUrlVariable ?? ''} is no plain http or https address`);
  }
  return { status: 'key', key: { api, baseUrl, isBaseUrlSet: set !== '', ...found } };
}

type FoundKey = Pick<ModelKey, 'secret' | 'header' | 'source'>;

function storedKey({ keys }: KeyApi, secret: Secret): FoundKey {
  return { secret, header: keys[0]?.header ?? 'authorization', source: 'the auth store' };
}

function keyOf({ keys }: KeyApi, env: Environment): FoundKey | null {
  for (const { variable, header } of keys) {
    const value = env[variable]?.trim() ?? '';
    if (value !== '') return { secret: new Secret(value), header, source: variable };
  }
  return null;
}

/** The variable is claude's, which adds the version itself; opencode does not. */
function withVersion({ kind }: Asked, { provider }: KeyApi, url: string): string {
  const isBare = kind === 'opencode' && provider === 'anthropic' && !/\/v\d+\/*$/.test(url);
  return isBare ? `${url.replace(/\/+$/, '')}/v1` : url;
}

/** Null for what is no address, or more than one: a user name, a query. */
function readBaseUrl(text: string): URL | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null; // a person's typing mistake
  }
  const isPlain =
    url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) return null;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function unusable(reason: string): CredentialPlan {
  return { status: 'unusable', reason };
}
