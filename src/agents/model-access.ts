import { LlmxError } from '../errors/llmx-error.js';
import type { Environment } from '../support/paths.js';

/** One API of models, as an agent finds it from inside its sandbox. */
export interface ModelApi {
  /** Null: the agent's own default. Holds no key. */
  readonly baseUrl: string | null;
  /** What the agent sends as its key; null where it has a login instead. Never a real key. */
  readonly key: string | null;
}

export interface ModelAccess {
  /** Its base URL has no version at its end. */
  readonly anthropic: ModelApi;
  /** Its base URL ends with the version, as `/v1`. */
  readonly openai: ModelApi;
}

/** Stands in for a key inside the sandbox, where everything can be read by the agent and its commands. */
export const STAND_IN_KEY = 'llmx-the-key-stays-outside';

/**
 * How models are reached, from the environment of the worker: `ANTHROPIC_BASE_URL`, `ANTHROPIC_API_KEY`,
 * `OPENAI_BASE_URL`, `OPENAI_API_KEY`.
 * @throws LlmxError `model_url_invalid`
 */
export function modelAccess(env: Environment): ModelAccess {
  return { anthropic: modelApi(env, 'ANTHROPIC'), openai: modelApi(env, 'OPENAI') };
}

function modelApi(env: Environment, prefix: 'ANTHROPIC' | 'OPENAI'): ModelApi {
  const baseUrl = baseUrlOf(env, `${prefix}_BASE_URL`);
  const hasKey = (env[`${prefix}_API_KEY`] ?? '') !== '';
  return { baseUrl, key: hasKey || baseUrl !== null ? STAND_IN_KEY : null };
}

function baseUrlOf(env: Environment, name: string): string | null {
  const text = env[name] ?? '';
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  // The value is not repeated: whatever is wrong with it, it may hold a password.
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalid(name, 'is no http(s) address');
  // It becomes part of command lines, which everybody on the machine can read.
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw invalid(name, 'holds a name, a password or a query; a key belongs in its own variable');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function invalid(name: string, problem: string): LlmxError {
  return new LlmxError('model_url_invalid', { name, problem });
}
