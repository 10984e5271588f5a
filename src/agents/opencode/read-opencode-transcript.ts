import { CallTally, type CallContext } from '../../domain/metrics/call-tally.js';
import { toolCall } from '../../domain/metrics/tool-call.js';
import { numberAt, objectAt, textAt, type JsonObject } from '../../domain/json-value.js';
import type { TranscriptReading } from '../agent.js';
import { listed, metricsOf, NO_TASK } from '../transcript/figures.js';
import { readEvents, type ParseCounts } from '../transcript/read-events.js';
import { Recent } from '../transcript/recent.js';

const KNOWN_EVENTS = new Set(['step_start', 'reasoning', 'done']);
const MAX_ERRORS = 50;

/**
 * Reads what `opencode run --format json` wrote.
 * @throws the system's error when the file is missing or out of reach
 */
export async function readOpencodeTranscript(
  stdoutFile: string,
  context: CallContext = NO_TASK,
): Promise<TranscriptReading> {
  const transcript = new OpencodeTranscript(context);
  const counts = await readEvents(stdoutFile, (event) => transcript.event(event));
  return transcript.reading(counts);
}

class OpencodeTranscript {
  private readonly calls: CallTally;
  private readonly callIds = new Recent<true>();
  private readonly stepIds = new Recent<true>();
  private readonly turns: object[] = [];
  private steps = 0;
  private readonly sums = { input: 0, output: 0, thinking: 0, cacheWrite: 0, cacheRead: 0, usd: 0 };
  private firstContext: number | null = null;
  private answer: { readonly message: string | null; readonly text: string } | null = null;
  private readonly errors: string[] = [];
  private unknown = 0;

  constructor(context: CallContext) {
    this.calls = new CallTally(context);
  }

  event(event: JsonObject): void {
    const part = objectAt(event, 'part');
    switch (textAt(event, 'type')) {
      case 'tool_use':
        return this.toolUse(part);
      case 'text':
        return this.text(part);
      case 'step_finish':
        return this.stepFinish(part);
      case 'error':
        return this.error(objectAt(event, 'error'));
      default:
        if (!KNOWN_EVENTS.has(textAt(event, 'type') ?? '')) this.unknown += 1;
    }
  }

  private toolUse(part: JsonObject | null): void {
    const id = textAt(part, 'callID') ?? textAt(part, 'id');
    if (!this.callIds.isNew(id, true)) return;
    this.calls.add(
      toolCall(textAt(part, 'tool') ?? '?', objectAt(objectAt(part, 'state'), 'input')),
    );
  }

  private text(part: JsonObject | null): void {
    const text = textAt(part, 'text');
    if (text === null) return;
    const message = textAt(part, 'messageID');
    const isSame = message !== null && this.answer?.message === message;
    this.answer = { message, text: isSame ? `${this.answer?.text}\n${text}` : text };
  }

  private stepFinish(part: JsonObject | null): void {
    if (!this.stepIds.isNew(textAt(part, 'id'), true)) return;
    this.steps += 1;
    const tokens = objectAt(part, 'tokens');
    const cache = objectAt(tokens, 'cache');
    const step = {
      input: numberAt(tokens, 'input') ?? 0,
      // Thinking is beside it here, and a part of it with the other two agents.
      output: (numberAt(tokens, 'output') ?? 0) + (numberAt(tokens, 'reasoning') ?? 0),
      thinking: numberAt(tokens, 'reasoning') ?? 0,
      cacheWrite: numberAt(cache, 'write') ?? 0,
      cacheRead: numberAt(cache, 'read') ?? 0,
      usd: numberAt(part, 'cost') ?? 0,
    };
    for (const key of Object.keys(step) as (keyof typeof step)[]) this.sums[key] += step[key];
    const context = step.input + step.cacheWrite + step.cacheRead;
    this.firstContext ??= context;
    listed(this.turns, {
      input_tokens: step.input,
      output_tokens: step.output,
      cache_creation_input_tokens: step.cacheWrite,
      cache_read_input_tokens: step.cacheRead,
      reasoning_output_tokens: step.thinking,
      context_tokens: context,
    });
  }

  private error(error: JsonObject | null): void {
    const name = textAt(error, 'name') ?? 'error';
    const message = textAt(objectAt(error, 'data'), 'message') ?? '';
    if (this.errors.length < MAX_ERRORS) this.errors.push(`${name}: ${message}`.slice(0, 500));
  }

  reading(counts: ParseCounts): TranscriptReading {
    const { sums } = this;
    const tokens = {
      input_tokens: sums.input,
      output_tokens: sums.output,
      cache_creation_input_tokens: sums.cacheWrite,
      cache_read_input_tokens: sums.cacheRead,
      thinking_tokens: sums.thinking,
      total_input_tokens: sums.input + sums.cacheWrite + sums.cacheRead,
      // It says 0 for a model it has no prices for: that is no cost, but none that is known.
      total_cost_usd: sums.usd > 0 ? sums.usd : null,
    };
    const own = { ...(this.steps === 0 ? {} : tokens), opencode_errors: this.errors };
    const shared = {
      calls: this.calls,
      counts,
      unknownEvents: this.unknown,
      turns: this.turns,
      turnCount: this.steps,
      contextBeforeFirstToolCall: this.firstContext,
    };
    // The stream names no model.
    return {
      metrics: metricsOf(shared, own),
      answer: this.answer?.text ?? null,
      modelReported: null,
    };
  }
}
