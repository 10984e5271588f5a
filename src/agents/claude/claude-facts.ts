import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  saidAt,
  textAt,
  type JsonObject,
} from '../../domain/json-value.js';
import type {
  ClaudeError,
  ClaudeFacts,
  ClaudeResult,
} from '../../domain/trial/ending/claude-ending.js';
import type { RateLimit } from '../../domain/trial/ending/claude-limits.js';
import type { StartFacts } from '../../domain/trial/hermeticity.js';
import type { RunFacts } from '../ending-verdict.js';
import { claudeStart } from './claude-start.js';
import { blocksOf, SYNTHETIC_MODEL } from './claude-usage.js';

/** The CLI tells the model to finish because a window of the plan is nearly used up. */
const WRAP_UP = /^Approaching your .* usage limit/;
const MAX_MODELS = 16;

/** Collects from a claude stream what tells how the run ended. */
export class ClaudeFactsReader {
  private events = 0;
  private hasEvidence = false;
  private hasModelCall = false;
  private hasRetried = false;
  private wasRefused = false;
  private result: ClaudeResult | null = null;
  private failure: ClaudeFacts['failure'] = null;
  private openRetry: ClaudeError | null = null;
  private rejected: RateLimit | null = null;
  private limit: RateLimit | null = null;
  private swapped: string | null = null;
  private wrapUp: string | null = null;
  private start: StartFacts | null = null;
  private readonly served = new Set<string>();

  event(event: JsonObject): void {
    this.events += 1;
    const type = textAt(event, 'type');
    if (type === 'rate_limit_event') return this.rateLimit(objectAt(event, 'rate_limit_info'));
    this.openRetry = null;
    if (type === 'system') this.system(event);
    else if (type === 'assistant') this.assistant(event);
    else if (type === 'stream_event') this.hasModelCall = true;
    else if (type === 'result') this.result = resultOf(event);
  }

  facts(): ClaudeFacts {
    return {
      events: this.events,
      hasEvidence: this.hasEvidence,
      hasModelCall: this.hasModelCall,
      hasRetried: this.hasRetried,
      wasRefused: this.wasRefused,
      result: this.result,
      failure: this.failure,
      openRetry: this.openRetry,
      rejected: this.rejected,
      limit: this.limit,
      swapped: this.swapped,
      wrapUp: this.wrapUp,
    };
  }

  run(): RunFacts {
    return { start: this.start, modelsServed: [...this.served] };
  }

  private system(event: JsonObject): void {
    switch (textAt(event, 'subtype')) {
      case 'init':
        this.start ??= claudeStart(event);
        return;
      case 'thinking_tokens':
        this.hasModelCall = true;
        return;
      case 'api_retry':
        this.hasRetried = true;
        this.openRetry = {
          status: numberAt(event, 'error_status'),
          kind: textAt(event, 'error'),
          apiError: null,
        };
        return;
      case 'model_refusal_fallback':
        this.swapped = `${textAt(event, 'fallback_model')} went on after ${textAt(event, 'original_model')} refused`;
        return;
      case 'model_refusal_no_fallback':
        this.wasRefused = true;
        return;
      case 'informational': {
        const text = textAt(event, 'content') ?? '';
        if (WRAP_UP.test(text)) this.wrapUp = text;
        return;
      }
      default:
    }
  }

  private assistant(event: JsonObject): void {
    const message = objectAt(event, 'message');
    const model = textAt(message, 'model');
    const blocks = blocksOf(message);
    if (model === SYNTHETIC_MODEL) {
      if (event['is_api_error_message'] !== true) return;
      const text = blocks.map((block) => saidAt(block, 'text')).join(' ');
      this.failure = { error: errorOf(event), text };
      return;
    }
    // It went on: what had failed before is over.
    this.failure = null;
    this.hasModelCall = true;
    this.hasEvidence ||= blocks.some(isEvidence);
    const isMain = textAt(event, 'parent_tool_use_id') === null;
    if (model !== null && isMain && this.served.size < MAX_MODELS) this.served.add(model);
  }

  private rateLimit(info: JsonObject | null): void {
    if (info === null) return;
    this.limit = limitOf(info);
    if (this.limit.status === 'rejected') this.rejected = this.limit;
  }
}

function isEvidence(block: JsonObject): boolean {
  const type = textAt(block, 'type');
  return type === 'tool_use' || (type === 'text' && (textAt(block, 'text') ?? '').trim() !== '');
}

function errorOf(event: JsonObject): ClaudeError {
  return {
    status: numberAt(event, 'api_error_status'),
    kind: textAt(event, 'error'),
    apiError: textAt(event, 'api_error'),
  };
}

function resultOf(event: JsonObject): ClaudeResult {
  const [first] = listAt(event, 'errors');
  const error = typeof first === 'string' ? first : '';
  return {
    subtype: textAt(event, 'subtype'),
    isError: event['is_error'] === true,
    terminalReason: textAt(event, 'terminal_reason'),
    stopReason: textAt(event, 'stop_reason'),
    text: textAt(event, 'result') === null ? error : saidAt(event, 'result'),
    error: errorOf(event),
  };
}

function limitOf(info: JsonObject): RateLimit {
  const windows = Object.entries(objectAt(info, 'unifiedWindows') ?? {});
  return {
    ...stateOf(info),
    type: textAt(info, 'rateLimitType'),
    windows: windows.flatMap(([name, state]) =>
      isObject(state) ? [{ name, ...stateOf(state) }] : [],
    ),
  };
}

/** `resetsAt` is in seconds. */
function stateOf(state: JsonObject): Omit<RateLimit, 'type' | 'windows'> {
  const seconds = numberAt(state, 'resetsAt');
  return {
    status: textAt(state, 'status'),
    utilization: numberAt(state, 'utilization'),
    resetAtMs: seconds === null ? null : seconds * 1000,
  };
}
