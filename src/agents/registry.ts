import type { AgentKind, AgentSpec } from '../domain/experiment/experiment.js';
import { LlmxError } from '../errors/llmx-error.js';
import type { AgentAdapter } from './agent.js';
import { claudeAgent } from './claude.js';
import { codexAgent } from './codex.js';
import { commandAgent } from './command.js';
import { nopAgent } from './nop.js';
import { opencodeAgent } from './opencode.js';
import { oracleAgent } from './oracle.js';

const ADAPTERS: Partial<Record<AgentKind, AgentAdapter>> = {
  claude: claudeAgent,
  codex: codexAgent,
  opencode: opencodeAgent,
  command: commandAgent,
  oracle: oracleAgent,
  nop: nopAgent,
};

/** @throws LlmxError `agent_kind_unavailable` */
export function adapterOf(agent: Pick<AgentSpec, 'name' | 'kind'>): AgentAdapter {
  const adapter = ADAPTERS[agent.kind];
  if (adapter === undefined) {
    throw new LlmxError('agent_kind_unavailable', {
      agent: agent.name,
      kind: agent.kind,
      available: Object.keys(ADAPTERS).join(', '),
    });
  }
  return adapter;
}
