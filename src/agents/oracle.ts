import { posix } from 'node:path';
import { endedHow, VALID, type AgentAdapter } from './agent.js';

const PATCH = 'solution.patch';

/** Applies the task's reference solution: the test must pass afterwards. No other agent gets the patch. */
export const oracleAgent: AgentAdapter = {
  kind: 'oracle',
  launch: ({ env, inputsDir, solutionFile }) => ({
    launch: {
      argv: ['git', 'apply', '--whitespace=nowarn', posix.join(inputsDir, PATCH)],
      env,
      stdinFile: null,
    },
    inputs: solutionFile === null ? [] : [{ from: solutionFile, name: PATCH }],
  }),
  judge: ({ run }) =>
    run.exit === 0
      ? VALID
      : {
          status: 'void',
          reason: 'solution_did_not_apply',
          detail: `git apply: ${endedHow(run)}`,
        },
};
