import { QUIET_AGENTS } from '../domain/agents/quiet.js';
import type { AgentAdapter, LaunchContext, LaunchPlan } from './agent.js';
import { judgeClaude } from './claude/judge-claude.js';
import { readClaudeTranscript } from './claude/read-claude-transcript.js';
import { modelFlags, promptInput } from './prompt-input.js';

/** Claude Code. Flags are those of 2.1.332. */
export const claudeAgent: AgentAdapter = {
  kind: 'claude',
  launch,
  judge: judgeClaude,
  judgesTimeOuts: true,
  readTranscript: readClaudeTranscript,
};

const FLAGS = [
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--permission-mode',
  'bypassPermissions',
];

const SETTINGS = {
  ...QUIET_AGENTS,
  // Root may bypass permissions only where somebody says that this is a sandbox.
  IS_SANDBOX: '1',
  // Times in its messages are then UTC, whatever the machine has.
  TZ: 'UTC',
  // By default ten: a key that is refused keeps it busy for minutes.
  CLAUDE_CODE_MAX_RETRIES: '4',
  // Until an answer begins. By default ten minutes, of each try.
  API_TIMEOUT_MS: '120000',
};

function launch(context: LaunchContext): LaunchPlan {
  const { agent, env, hasWeb } = context;
  const { stdinFile, inputs } = promptInput(context);
  return {
    launch: {
      argv: ['claude', ...FLAGS, ...modelFlags(agent.model)],
      env: { ...env, ...SETTINGS },
      stdinFile,
    },
    inputs,
    settings: [{ path: '.claude/settings.json', text: settingsText(hasWeb) }],
  };
}

/** A model that refuses must not be replaced by another one; and a search of the provider does not leave from here. */
function settingsText(hasWeb: boolean): string {
  const permissions = hasWeb ? {} : { permissions: { deny: ['WebSearch', 'WebFetch'] } };
  return JSON.stringify({ switchModelsOnFlag: false, ...permissions });
}
