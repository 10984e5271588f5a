import { planCredentials } from '../../agents/credential-plan.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { readStoredCredential } from '../../storage/auth/auth-store.js';
import { authDir, type LoginAgent } from '../../storage/auth/login-agent.js';
import type { LoginFlags } from '../commands/login.js';
import type { CliContext } from '../context.js';
import { findAgentCli } from './agent-cli.js';
import { credentialsJson, type LoginView } from './render.js';

/**
 * What trials of the agent would log in with, and whether its program runs.
 * @throws LlmxError `login_unusable`, `agent_cli_missing`
 */
export async function verifyLogin(
  cli: CliContext,
  agent: LoginAgent,
  flags: LoginFlags,
): Promise<LoginView> {
  const plan = await planCredentials({ kind: agent, model: null }, cli.env, Date.now());
  if (plan.status === 'unusable') {
    throw new LlmxError('login_unusable', { agent, reason: plan.reason });
  }
  const stored = await readStoredCredential(authDir(cli.env), agent);
  const { credentials } = credentialsJson(stored.facts);
  // What opencode may do without is what it is asked about here.
  if (plan.status === 'none' && credentials.length === 0) {
    throw new LlmxError('login_unusable', { agent, reason: 'there is nothing in the auth store' });
  }
  const fromVariable = plan.status === 'key' && credentials.length === 0;
  const { version, where } = await findAgentCli(cli, agent, flags);
  return {
    agent,
    credentials,
    keyFrom: fromVariable ? plan.key.source : null,
    cli: { version, where },
  };
}
