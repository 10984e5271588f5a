import { CallTally, type CallContext } from '../../domain/metrics/call-tally.js';
import { editCall, shellCall, toolCall, type ToolCall } from '../../domain/metrics/tool-call.js';
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  type JsonObject,
} from '../../domain/json-value.js';
import type { TranscriptReading } from '../agent.js';
import { listed, metricsOf, NO_TASK } from '../transcript/figures.js';
import { known } from '../transcript/known.js';
import { readEvents, type ParseCounts } from '../transcript/read-events.js';
import { Recent } from '../transcript/recent.js';

/** Events without a figure of their own. */
const KNOWN_EVENTS = new Set(['thread.started', 'turn.started', 'item.updated']);
/** Messages of errors that are kept. */
const MAX_ERRORS = 50;
const MAX_ERROR_CHARS = 500;

/**
 * Reads what `codex exec --json` wrote.
 * @throws the system's error when the file is missing or out of reach
 */
export async function readCodexTranscript(
  stdoutFile: string,
  context: CallContext = NO_TASK,
): Promise<TranscriptReading> {
  const transcript = new CodexTranscript(context);
  const counts = await readEvents(stdoutFile, (event) => transcript.event(event));
  return transcript.reading(counts);
}

class CodexTranscript {
  private readonly calls: CallTally;
  private readonly callIds = new Recent<true>();
  private readonly turns: Record<string, unknown>[] = [];
  private turnCount = 0;
  private lastUsage: JsonObject | null = null;
  private readonly errors: string[] = [];
  private readonly mcpServers = new Set<string>();
  private answer: string | null = null;
  private unknown = 0;

  constructor(context: CallContext) {
    this.calls = new CallTally(context);
  }

  event(event: JsonObject): void {
    switch (textAt(event, 'type')) {
      case 'item.started':
      case 'item.completed':
        return this.item(objectAt(event, 'item'));
      case 'turn.completed':
        return this.turn(objectAt(event, 'usage'));
      case 'turn.failed':
        return this.error(textAt(objectAt(event, 'error'), 'message'));
      case 'error':
        return this.error(textAt(event, 'message'));
      default:
        if (!KNOWN_EVENTS.has(textAt(event, 'type') ?? '')) this.unknown += 1;
    }
  }

  private turn(usage: JsonObject | null): void {
    this.turnCount += 1;
    if (usage === null) return;
    this.lastUsage = usage;
    const { total_input_tokens: context_tokens, ...turn } = tokensOf(usage);
    listed(this.turns, known({ ...turn, context_tokens }));
  }

  private item(item: JsonObject | null): void {
    const type = textAt(item, 'type');
    if (type === 'agent_message') this.answer = textAt(item, 'text') ?? this.answer;
    if (type === 'error') this.error(textAt(item, 'message'));
    const server = type === 'mcp_tool_call' ? textAt(item, 'server') : null;
    if (server !== null && this.mcpServers.size < 64) this.mcpServers.add(server);
    const call = item === null || type === null ? null : callOf(type, item);
    // Seen at its start, so that a call that was cut off counts too.
    if (call !== null && this.callIds.isNew(textAt(item, 'id'), true)) this.calls.add(call);
  }

  private error(message: string | null): void {
    if (message === null || this.errors.length >= MAX_ERRORS) return;
    const text = message.slice(0, MAX_ERROR_CHARS);
    // An error that ends the turn is said twice.
    if (this.errors.at(-1) !== text) this.errors.push(text);
  }

  reading(counts: ParseCounts): TranscriptReading {
    const own = {
      ...(this.lastUsage === null ? {} : tokensOf(this.lastUsage)),
      mcp_servers: [...this.mcpServers].map((name) => ({ name, status: 'connected' })),
      codex_errors: this.errors,
    };
    const shared = {
      calls: this.calls,
      counts,
      unknownEvents: this.unknown,
      turns: this.turns,
      turnCount: this.turnCount,
      contextBeforeFirstToolCall: null,
    };
    // The stream names no model and no cost.
    return { metrics: metricsOf(shared, own), answer: this.answer, modelReported: null };
  }
}

/** Of the whole thread so far: the last one is the total. Cached tokens are part of `input_tokens`. */
function tokensOf(usage: JsonObject): Record<string, number | null> {
  return {
    input_tokens: numberAt(usage, 'input_tokens'),
    output_tokens: numberAt(usage, 'output_tokens'),
    cache_read_input_tokens: numberAt(usage, 'cached_input_tokens'),
    thinking_tokens: numberAt(usage, 'reasoning_output_tokens'),
    total_input_tokens: numberAt(usage, 'input_tokens'),
  };
}

/** Null for an item that is no call: a message, a thought, a list of things to do. */
export function callOf(type: string, item: JsonObject): ToolCall | null {
  switch (type) {
    case 'command_execution':
      return shellCall(type, commandOf(item));
    case 'file_change':
    case 'patch_apply':
      return editCall(type, changedPaths(item));
    case 'mcp_tool_call': {
      const tool = [textAt(item, 'server'), textAt(item, 'tool')].filter((name) => name !== null);
      return { ...toolCall(tool.join('.'), objectAt(item, 'arguments')), class: 'other' };
    }
    default:
      return /(_call|web_search)$/.test(type) ? toolCall(type, item) : null;
  }
}

function commandOf(item: JsonObject): string {
  const words = listAt(item, 'command').filter((word) => typeof word === 'string');
  return textAt(item, 'command') ?? words.join(' ');
}

function changedPaths(item: JsonObject): readonly string[] {
  return objectsAt(item, 'changes').flatMap((change) => textAt(change, 'path') ?? []);
}
