import { posix, resolve } from 'node:path';
import { endedHow, VALID, type AgentAdapter } from './agent.js';

const PROMPT = 'prompt.txt';
/** The agent's own program, where it has to be brought along: that file alone. */
const PROGRAM = 'agent-program';

/** What a shell answers for a program that is not executable (126) or not there (127). */
const NOT_RUNNABLE: readonly (number | null)[] = [126, 127];

/** Any program: prompt on standard input, checkout as working folder. */
export const commandAgent: AgentAdapter = {
  kind: 'command',
  launch: ({ agent, env, experimentDir, inputsDir, isContained, promptFile }) => {
    const [program = '', ...args] = agent.argv ?? [];
    const own = program.includes('/') ? resolve(experimentDir, program) : null;
    const inputs = [{ from: promptFile, name: PROMPT }];
    const stdinFile = posix.join(inputsDir, PROMPT);
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
