import { suggest } from '../../domain/experiment/suggest.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { authDir, isLoginAgent, LOGIN_AGENTS } from '../../storage/auth/login-agent.js';
import type { LoginFlags } from '../commands/login.js';
import type { CliContext } from '../context.js';
import { note, printJson, printLine } from '../output/print.js';
import { findAgentCli } from './agent-cli.js';
import { logIn } from './log-in.js';
import { credentialLines, credentialsJson } from './render.js';
import { verifyLogin } from './verify.js';

/**
 * Logs an agent in with its own program, or says what its login is worth.
 * @throws LlmxError `usage`, `login_needs_terminal`, `login_incomplete`, `login_unusable`, `agent_cli_missing`
 */
export async function runLogin(cli: CliContext, agent: string, flags: LoginFlags): Promise<void> {
  if (!isLoginAgent(agent)) throw unknownAgent(agent);
  const root = authDir(cli.env);
  if (flags.verify === true) {
    const found = await verifyLogin(cli, agent, flags);
    if (flags.json === true) printJson(cli, 'login', found);
    else for (const line of credentialLines(found)) printLine(cli, line);
    return;
  }
  if (!cli.stdinIsTty || !cli.stderrIsTty || flags.json === true) {
    throw new LlmxError('login_needs_terminal', { agent });
  }
  const agentCli = await findAgentCli(cli, agent, flags);
  note(cli, `${agent} ${agentCli.version} (${agentCli.where}) logs in now; answer its questions`);
  const facts = await logIn(cli, root, agentCli);
  for (const line of credentialLines({ agent, cli: null, ...credentialsJson(facts) })) {
    printLine(cli, line);
  }
  printLine(cli, `kept in ${root}/${agent}, for trials only`);
}

function unknownAgent(agent: string): LlmxError {
  const problem = `there is no login for ${agent} (known: ${LOGIN_AGENTS.join(', ')})`;
  const meant = suggest(agent, LOGIN_AGENTS) ?? LOGIN_AGENTS[0];
  return new LlmxError('usage', { problem, hint: `llmx-client login ${meant}` });
}
