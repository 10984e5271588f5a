import { posix } from 'node:path';
import type { LaunchContext, LaunchPlan } from './agent.js';

const PROMPT = 'prompt.txt';

/** The prompt as a file of the sandbox that becomes standard input: whoever reads it finds an end. */
export function promptInput({
  inputsDir,
  promptFile,
}: Pick<LaunchContext, 'inputsDir' | 'promptFile'>): {
  readonly stdinFile: string;
  readonly inputs: LaunchPlan['inputs'];
} {
  return {
    stdinFile: posix.join(inputsDir, PROMPT),
    inputs: [{ from: promptFile, name: PROMPT }],
  };
}

/** `--model M`, as all three CLIs spell it; nothing where the CLI chooses. */
export function modelFlags(model: string | null): readonly string[] {
  return model === null ? [] : ['--model', model];
}
