import type { Environment } from '../support/paths.js';
import type { AgentSpec } from '../domain/experiment/experiment.js';

/** The header that an API reads its key from. */
export type KeyHeader = 'x-api-key' | 'authorization' | 'x-goog-api-key';

/** An API that takes a key. */
export interface KeyApi {
  /** As opencode calls it. */
  readonly provider: string;
  /** Variables of the worker that may hold a key, and how each is sent; the first that is set counts. */
  readonly keys: readonly { readonly variable: string; readonly header: KeyHeader }[];
  /** Variable of the worker that names another address of the API, or null. */
  readonly baseUrlVariable: string | null;
  /** Of the API, without a slash at the end; the agent's requests go below it. */
  readonly baseUrl: string;
}

const ANTHROPIC: KeyApi = {
  provider: 'anthropic',
  keys: [
    { variable: 'ANTHROPIC_API_KEY', header: 'x-api-key' },
    // Of gateways: a bearer token.
    { variable: 'ANTHROPIC_AUTH_TOKEN', header: 'authorization' },
  ],
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  baseUrl: 'https://api.anthropic.com',
};

const OPENAI: KeyApi = {
  provider: 'openai',
  keys: bearer('OPENAI_API_KEY'),
  baseUrlVariable: 'OPENAI_BASE_URL',
  baseUrl: 'https://api.openai.com/v1',
};

const CODEX: KeyApi = { ...OPENAI, keys: bearer('CODEX_API_KEY', 'OPENAI_API_KEY') };

/** For opencode, by the first part of the model's name. */
const PROVIDERS: Readonly<Record<string, KeyApi>> = {
  anthropic: { ...ANTHROPIC, baseUrl: `${ANTHROPIC.baseUrl}/v1` },
  openai: OPENAI,
  google: {
    provider: 'google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'].map((variable) => ({
      variable,
      header: 'x-goog-api-key',
    })),
    baseUrlVariable: null,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  },
  ...byBearer({
    opencode: ['https://opencode.ai/zen/v1', 'OPENCODE_API_KEY'],
    openrouter: ['https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
    groq: ['https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
    mistral: ['https://api.mistral.ai/v1', 'MISTRAL_API_KEY'],
    xai: ['https://api.x.ai/v1', 'XAI_API_KEY'],
    deepseek: ['https://api.deepseek.com', 'DEEPSEEK_API_KEY'],
    cerebras: ['https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'],
    togetherai: ['https://api.together.xyz/v1', 'TOGETHER_API_KEY'],
    'fireworks-ai': ['https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'],
    moonshotai: ['https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'],
    zai: ['https://api.z.ai/api/paas/v4', 'ZHIPU_API_KEY'],
  }),
};

/** The API that an agent's key is for; null where llmx knows none, and nobody says where it is. */
export function keyApiOf(
  { kind, model }: Pick<AgentSpec, 'kind' | 'model'>,
  env: Environment = {},
): KeyApi | null {
  switch (kind) {
    case 'claude':
      return ANTHROPIC;
    case 'codex':
      return CODEX;
    case 'opencode': {
      const provider = providerOf(model);
      if (provider === null) return null;
      if (Object.hasOwn(PROVIDERS, provider)) return PROVIDERS[provider] ?? null;
      // A server of one's own that speaks as OpenAI's.
      return (env['OPENAI_BASE_URL'] ?? '') === '' ? null : { ...OPENAI, provider };
    }
    case 'command':
    case 'oracle':
    case 'nop':
      return null;
  }
}

/** opencode names a model `provider/model`. */
export function providerOf(model: string | null): string | null {
  const provider = model?.split('/')[0]?.toLowerCase() ?? '';
  return provider === '' ? null : provider;
}

/** What tells an agent where its API is, and a key that opens nothing but the proxy. */
export function proxiedEnv(api: KeyApi, baseUrl: string, key: string): Record<string, string> {
  const keys = api.keys.slice(0, 1).map(({ variable }) => [variable, key] as const);
  return {
    ...Object.fromEntries(keys),
    ...(api.baseUrlVariable === null ? {} : { [api.baseUrlVariable]: baseUrl }),
  };
}

/** Variables that a worker's keys may be in, and where their APIs are. */
export const KEY_SETTINGS: ReadonlySet<string> = new Set(
  [ANTHROPIC, CODEX, ...Object.values(PROVIDERS)].flatMap(({ keys, baseUrlVariable }) => [
    ...keys.map(({ variable }) => variable),
    ...(baseUrlVariable === null ? [] : [baseUrlVariable]),
  ]),
);

function bearer(...variables: readonly string[]): KeyApi['keys'] {
  return variables.map((variable) => ({ variable, header: 'authorization' }));
}

function byBearer(
  apis: Readonly<Record<string, readonly [baseUrl: string, variable: string]>>,
): Record<string, KeyApi> {
  return Object.fromEntries(
    Object.entries(apis).map(([provider, [baseUrl, variable]]) => [
      provider,
      { provider, keys: bearer(variable), baseUrlVariable: null, baseUrl },
    ]),
  );
}
