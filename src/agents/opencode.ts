import { QUIET_AGENTS } from '../domain/agents/quiet.js';
import type { AgentStall } from '../domain/trial/program-contract.js';
import type { AgentAdapter, LaunchContext, LaunchPlan, SettingsFile } from './agent.js';
import { judgeOpencode } from './opencode/judge-opencode.js';
import { readOpencodeTranscript } from './opencode/read-opencode-transcript.js';
import type { ModelApi } from './model-access.js';
import { isKnownProvider } from './model-hosts.js';
import { modelFlags, promptInput } from './prompt-input.js';

/** opencode. Flags and settings are those of 1.18.33. */
export const opencodeAgent: AgentAdapter = {
  kind: 'opencode',
  launch,
  judge: judgeOpencode,
  judgesTimeOuts: true,
  readTranscript: readOpencodeTranscript,
};

const KEY_VARIABLE = 'LLMX_MODEL_KEY';

/** The log is the only place where it says why it waits. */
const FLAGS = ['--format', 'json'];
const LOG_FLAGS = ['--print-logs', '--log-level', 'ERROR'];

/**
 * At a used-up quota it says so in its log and sleeps until the quota is back, which may be days. Now and then
 * it hangs before its first event.
 */
const STALL: AgentStall = {
  said: 'level=ERROR .*AI_APICallError: ',
  // It tries again after half a minute at most where nobody tells it how long to wait; a limit per minute is worth waiting for.
  forMs: 75_000,
  startMs: 300_000,
};

/** It installs a package for plugins beside its settings, although there are none; nothing waits for it. */
const NO_INSTALL: SettingsFile = { path: '.config/opencode/.npmrc', text: 'offline=true\n' };

function launch(context: LaunchContext): LaunchPlan {
  const { agent, env } = context;
  const { stdinFile, inputs } = promptInput(context);
  return {
    launch: {
      argv: ['opencode', 'run', ...FLAGS, ...modelFlags(agent.model), ...LOG_FLAGS],
      env: {
        ...env,
        ...QUIET_AGENTS,
        TZ: 'UTC',
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config(context)),
        ...(context.model === null ? {} : { [KEY_VARIABLE]: context.model.key }),
      },
      stdinFile,
      stall: STALL,
    },
    inputs,
    settings: [NO_INSTALL],
  };
}

function config(context: LaunchContext): Readonly<Record<string, unknown>> {
  const { agent, hasWeb, model } = context;
  const web = hasWeb ? 'allow' : 'deny';
  return {
    autoupdate: false,
    share: 'disabled',
    // A question to the model that is no part of the work.
    agent: { title: { disable: true } },
    // As the other two: nobody is there to ask. A question that is not answered ends its run, with exit 0.
    permission: { '*': 'allow', question: 'deny', webfetch: web, websearch: web },
    ...(agent.model === null || model === null ? {} : { provider: providers(agent.model, model) }),
  };
}

/** What opencode does not know by itself: where its provider is, and a provider that it never heard of. */
function providers(asked: string, model: ModelApi): Readonly<Record<string, unknown>> {
  const { provider, baseUrl } = model;
  const options = { baseURL: baseUrl, apiKey: `{env:${KEY_VARIABLE}}` };
  if (isKnownProvider(provider)) return { [provider]: { options } };
  const name = asked.slice(asked.indexOf('/') + 1);
  return {
    [provider]: {
      npm: '@ai-sdk/openai-compatible',
      name: provider,
      options,
      models: { [name]: { name, tool_call: true, limit: UNKNOWN_LIMIT } },
    },
  };
}

/** Of a model that nobody has described, in tokens: what most have. */
const UNKNOWN_LIMIT = { context: 200_000, output: 32_000 };
