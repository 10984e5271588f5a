import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { endedHow, NOT_RUNNABLE, VALID, type AgentEnd, type AgentVerdict } from './agent.js';

/** In an event of any of the three CLIs: the model has answered. Inside a string the quotes are escaped. */
const HAS_OUTPUT_TOKENS = /"output(?:_tokens)?":\s*[1-9]/;

/**
 * The least that can be said of a run without reading its transcript: an agent that got an answer of its model
 * has a result, any other has none.
 */
export async function judgeByExit({ run, stdoutFile }: AgentEnd): Promise<AgentVerdict> {
  if (NOT_RUNNABLE.includes(run.exit)) {
    return { status: 'void', reason: 'agent_not_runnable', detail: endedHow(run) };
  }
  if (run.stalled === true) {
    const detail = 'the agent waited for its model, and was ended';
    return { status: 'void', reason: 'unknown_error', detail };
  }
  if (await hasOutputTokens(stdoutFile)) return VALID;
  return run.exit === 0
    ? { status: 'void', reason: 'nothing_done', detail: endedHow(run) }
    : { status: 'void', reason: 'unknown_error', detail: `no answer of a model, ${endedHow(run)}` };
}

/** A model that never answered says nothing about the agent that waited for it. */
export async function judgeAtLimit({ stdoutFile }: AgentEnd): Promise<AgentVerdict> {
  if (await hasOutputTokens(stdoutFile)) return VALID;
  const detail = 'no answer of a model within the limits of the trial';
  return { status: 'void', reason: 'nothing_done', detail };
}

async function hasOutputTokens(file: string): Promise<boolean> {
  const input = createReadStream(file);
  try {
    for await (const line of createInterface({ input })) {
      if (HAS_OUTPUT_TOKENS.test(line)) return true;
    }
    return false;
  } finally {
    input.destroy();
  }
}
