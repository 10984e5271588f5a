import type { AgentSpec } from '../domain/experiment/experiment.js';

/** The command that runs these agents only; null without any. */
export function startWith(agents: readonly Pick<AgentSpec, 'name'>[]): string | null {
  if (agents.length === 0) return null;
  return ['llmx-client start-grid', ...agents.map(({ name }) => `--agent ${name}`)].join(' ');
}
