import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AgentKind } from '../../domain/experiment/experiment.js';
import type { Environment } from '../../support/paths.js';

/** Agents that need a login or a key: one folder each in the auth store. */
export const LOGIN_AGENTS = ['claude', 'codex', 'opencode'] as const satisfies AgentKind[];
export type LoginAgent = (typeof LOGIN_AGENTS)[number];

export function isLoginAgent(name: string): name is LoginAgent {
  return (LOGIN_AGENTS as readonly string[]).includes(name);
}

/** Where each CLI keeps its login, below its folder of the store. */
export const CREDENTIAL_FILE: Readonly<Record<LoginAgent, string>> = {
  claude: '.credentials.json',
  codex: 'auth.json',
  opencode: 'auth.json',
};

/** Who claude is logged in as; after a Console login also the key. */
export const CLAUDE_ACCOUNT_FILE = '.claude.json';

/** An API key and nothing else, put there by a person. opencode has its own place for keys. */
export const KEY_FILE = 'api-key';

/** Where each CLI keeps the same file in a HOME: its private folder, and the file in there. */
export const HOME_FOLDER: Readonly<Record<LoginAgent, string>> = {
  claude: '.claude',
  codex: '.codex',
  opencode: '.local/share/opencode',
};

/** The auth store, `~/.llmx/auth`; `LLMX_AUTH_DIR` moves it. */
export function authDir(env: Environment): string {
  const set = env['LLMX_AUTH_DIR'];
  if (set !== undefined && set !== '') return resolve(set);
  return join(env['HOME'] ?? homedir(), '.llmx', 'auth');
}
