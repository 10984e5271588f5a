import type { AgentKind, AgentSpec } from '../domain/experiment/experiment.js';
import { apiHost, apiHostsBelow, type ModelHost } from '../domain/network/model-host.js';
import { providerOf } from './key-apis.js';

const NONE: readonly ModelHost[] = [];

/** The API, and where a login is refreshed: now, and in versions before 2026. */
const CLAUDE = hosts('api.anthropic.com', 'platform.claude.com', 'console.anthropic.com');

/** The API for a key; for a login the second, refreshed at the third. */
const CODEX = hosts('api.openai.com', 'chatgpt.com', 'auth.openai.com');

/** Named one by one: below their common name anybody may keep files. */
const BEDROCK_REGIONS = [
  ...['us-east-1', 'us-east-2', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-central-1', 'eu-north-1', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['ap-northeast-1', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
];
const VERTEX_REGIONS = [
  ...['us-central1', 'us-east1', 'us-east5', 'us-west1'],
  ...['europe-west1', 'europe-west4', 'asia-northeast1', 'asia-southeast1'],
];

/** By the first part of the model's name, as opencode calls its providers. */
const PROVIDERS: Readonly<Record<string, readonly ModelHost[]>> = {
  anthropic: CLAUDE,
  openai: CODEX,
  opencode: hosts('opencode.ai'),
  'opencode-go': hosts('opencode.ai'),
  'amazon-bedrock': hosts(
    ...BEDROCK_REGIONS.map((region) => `bedrock-runtime.${region}.amazonaws.com`),
  ),
  azure: [
    apiHostsBelow('openai.azure.com'),
    apiHostsBelow('services.ai.azure.com'),
    apiHostsBelow('cognitiveservices.azure.com'),
  ],
  cerebras: hosts('api.cerebras.ai'),
  cohere: hosts('api.cohere.com'),
  deepinfra: hosts('api.deepinfra.com'),
  deepseek: hosts('api.deepseek.com'),
  'fireworks-ai': hosts('api.fireworks.ai'),
  'github-copilot': [apiHostsBelow('githubcopilot.com')],
  google: hosts('generativelanguage.googleapis.com'),
  'google-vertex': hosts(
    'aiplatform.googleapis.com',
    'oauth2.googleapis.com',
    ...VERTEX_REGIONS.map((region) => `${region}-aiplatform.googleapis.com`),
  ),
  groq: hosts('api.groq.com'),
  huggingface: hosts('router.huggingface.co'),
  minimax: hosts('api.minimax.io', 'api.minimaxi.com'),
  mistral: hosts('api.mistral.ai'),
  moonshotai: hosts('api.moonshot.ai'),
  'moonshotai-cn': hosts('api.moonshot.cn'),
  nvidia: hosts('integrate.api.nvidia.com'),
  openrouter: hosts('openrouter.ai'),
  perplexity: hosts('api.perplexity.ai'),
  togetherai: hosts('api.together.xyz'),
  vercel: hosts('ai-gateway.vercel.sh'),
  xai: hosts('api.x.ai'),
  zai: hosts('api.z.ai'),
  zhipuai: hosts('open.bigmodel.cn'),
};

const BY_KIND: Readonly<Record<AgentKind, (agent: Asked) => readonly ModelHost[]>> = {
  claude: () => CLAUDE,
  codex: () => CODEX,
  opencode: ({ model }) => hostsOfProvider(model),
  command: () => NONE,
  oracle: () => NONE,
  nop: () => NONE,
};

type Asked = Pick<AgentSpec, 'kind' | 'model'>;

/**
 * Hosts that an agent needs for its model and nothing else. Empty where they are not known; LLMX_MODEL_HOSTS
 * adds to them.
 */
export function modelHostsOf(agent: Asked): readonly ModelHost[] {
  return BY_KIND[agent.kind](agent);
}

/** Without a model, or with an unknown provider, only what LLMX_MODEL_HOSTS says is open. */
function hostsOfProvider(model: string | null): readonly ModelHost[] {
  const provider = providerOf(model) ?? '';
  return isKnownProvider(provider) ? (PROVIDERS[provider] ?? NONE) : NONE;
}

export function isKnownProvider(provider: string): boolean {
  return Object.hasOwn(PROVIDERS, provider);
}

function hosts(...names: readonly string[]): readonly ModelHost[] {
  return names.map(apiHost);
}
