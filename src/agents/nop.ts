import { VALID, type AgentAdapter } from './agent.js';

/** Does nothing: the bug must still be there afterwards. */
export const nopAgent: AgentAdapter = {
  kind: 'nop',
  launch: ({ env }) => ({ launch: { argv: null, env, stdinFile: null }, inputs: [] }),
  judge: () => VALID,
};
