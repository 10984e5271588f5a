import { posix, resolve } from 'node:path';
import { endedHow, NOT_RUNNABLE, VALID, type AgentAdapter } from './agent.js';
import { promptInput } from './prompt-input.js';

/** The agent's own program, where it has to be brought along: that file alone. */
const PROGRAM = 'agent-program';

/** Any program: prompt on standard input, checkout as working folder. */
export const commandAgent: AgentAdapter = {
  kind: 'command',
  launch: (context) => {
    const { agent, env, experimentDir, inputsDir, isContained } = context;
    const [program = '', ...args] = agent.argv ?? [];
    const own = program.includes('/') ? resolve(experimentDir, program) : null;
    const { stdinFile, inputs } = promptInput(context);
    if (own === null || !isContained) {
      return { launch: { argv: [own ?? program, ...args], env, stdinFile }, inputs };
    }
    return {
      launch: { argv: [posix.join(inputsDir, PROGRAM), ...args], env, stdinFile },
      inputs: [...inputs, { from: own, name: PROGRAM }],
    };
  },
  judge: ({ run }) =>
    NOT_RUNNABLE.includes(run.exit)
      ? { status: 'void', reason: 'agent_not_runnable', detail: endedHow(run) }
      : VALID,
};
