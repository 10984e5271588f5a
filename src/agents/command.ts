import { posix, resolve } from 'node:path';
import { endedHow, VALID, type AgentAdapter } from './agent.js';

const PROMPT = 'prompt.txt';

/** What a shell answers for a program that is not executable (126) or not there (127). */
const NOT_RUNNABLE: readonly (number | null)[] = [126, 127];

/** Any program: prompt on standard input, checkout as working folder. */
export const commandAgent: AgentAdapter = {
  kind: 'command',
  launch: ({ agent, env, experimentDir, inputsDir, promptFile }) => {
    const [program = '', ...args] = agent.argv ?? [];
    return {
      launch: {
        argv: [program.includes('/') ? resolve(experimentDir, program) : program, ...args],
        env,
        stdinFile: posix.join(inputsDir, PROMPT),
      },
      inputs: [{ from: promptFile, name: PROMPT }],
    };
  },
  judge: ({ run }) =>
    NOT_RUNNABLE.includes(run.exit)
      ? { status: 'void', reason: 'agent_not_runnable', detail: endedHow(run) }
      : VALID,
};
