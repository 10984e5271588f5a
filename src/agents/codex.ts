import { QUIET_AGENTS } from '../domain/agents/quiet.js';
import type { AgentStall } from '../domain/trial/program-contract.js';
import type { AgentAdapter, LaunchContext, LaunchPlan } from './agent.js';
import { judgeCodex } from './codex/judge-codex.js';
import { readCodexTranscript } from './codex/read-codex-transcript.js';
import type { ModelApi } from './model-access.js';
import { modelFlags, promptInput } from './prompt-input.js';

/** OpenAI Codex. Flags and settings are those of 0.171.0. */
export const codexAgent: AgentAdapter = {
  kind: 'codex',
  launch,
  judge: judgeCodex,
  judgesTimeOuts: true,
  readTranscript: readCodexTranscript,
};

const FLAGS = [
  '--json',
  '--dangerously-bypass-approvals-and-sandbox',
  '--skip-git-repo-check',
  '--ignore-user-config',
  '--ephemeral',
];

/** The name of a provider can't be one of codex's own, whose settings are fixed. */
const PROVIDER = 'llmx';
const KEY_VARIABLE = 'CODEX_API_KEY';

/** By default five minutes without a word of a stream. */
const STREAM_IDLE_MS = 120_000;
const RETRIES = 4;

/**
 * After 429 with `retry-after` it says so once and then waits for as long as the header says; offline it waits
 * for the network for ever.
 */
const STALL: AgentStall = {
  said: '"message":"Reconnecting\\.\\.\\. .*(?:429 Too Many Requests|waiting for network)',
  forMs: 75_000,
  startMs: 180_000,
};

function launch(context: LaunchContext): LaunchPlan {
  const { agent, checkoutDir, env, hasWeb, model } = context;
  const { stdinFile, inputs } = promptInput(context);
  const settings = [...OWN_SETTINGS, ...webSettings(hasWeb), ...providerSettings(model)];
  return {
    launch: {
      argv: [
        ...['codex', 'exec', ...FLAGS, '-C', checkoutDir, ...modelFlags(agent.model)],
        // Plugins are looked up at three other sites.
        ...['--disable', 'plugins', ...settings.flatMap((setting) => ['-c', setting])],
        '-', // the prompt is on standard input
      ],
      env: { ...env, ...QUIET_AGENTS, TZ: 'UTC' },
      stdinFile,
      stall: STALL,
    },
    inputs,
  };
}

const OWN_SETTINGS = ['check_for_update_on_startup=false', 'analytics.enabled=false'];

/** The search runs at the provider: no network of the trial keeps it out. */
function webSettings(hasWeb: boolean): readonly string[] {
  return hasWeb ? [] : ['web_search="disabled"'];
}

/** With a login codex uses its own provider; a key is only read from the variable that the provider names. */
function providerSettings(model: ModelApi | null): readonly string[] {
  if (model === null) return [];
  const provider = {
    name: PROVIDER,
    base_url: model.baseUrl,
    env_key: KEY_VARIABLE,
    wire_api: 'responses',
    request_max_retries: RETRIES,
    stream_max_retries: RETRIES,
    stream_idle_timeout_ms: STREAM_IDLE_MS,
  };
  const pairs = Object.entries(provider).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [`model_provider=${PROVIDER}`, `model_providers.${PROVIDER}={${pairs.join(',')}}`];
}
