import { CallTally, type CallContext } from '../../domain/metrics/call-tally.js';
import { toolCall } from '../../domain/metrics/tool-call.js';
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  type JsonObject,
} from '../../domain/json-value.js';
import type { TranscriptReading } from '../agent.js';
import { metricsOf, NO_TASK } from '../transcript/figures.js';
import { readEvents, type ParseCounts } from '../transcript/read-events.js';
import { Recent } from '../transcript/recent.js';
import { claudeStart, toolCount } from './claude-start.js';
import { blocksOf, ClaudeUsage, SYNTHETIC_MODEL } from './claude-usage.js';

const KNOWN_EVENTS = new Set(['user', 'rate_limit_event']);

/**
 * Reads what `claude -p --output-format stream-json --verbose` wrote (or the list of `json`).
 * @throws the system's error when the file is missing or out of reach
 */
export async function readClaudeTranscript(
  stdoutFile: string,
  context: CallContext = NO_TASK,
): Promise<TranscriptReading> {
  const transcript = new ClaudeTranscript(context);
  const counts = await readEvents(stdoutFile, (event) => transcript.event(event));
  return transcript.reading(counts);
}

class ClaudeTranscript {
  private readonly calls: CallTally;
  private readonly usage = new ClaudeUsage();
  private readonly callIds = new Recent<true>();
  private readonly served = new Set<string>();
  private init: JsonObject | null = null;
  private lastResult: JsonObject | null = null;
  private answer: { readonly id: string | null; readonly text: string } | null = null;
  private streamed: string | null = null;
  private retries = 0;
  private unknown = 0;

  constructor(context: CallContext) {
    this.calls = new CallTally(context);
  }

  event(event: JsonObject): void {
    switch (textAt(event, 'type')) {
      case 'system':
        return this.system(event);
      case 'assistant':
        return this.assistant(event);
      case 'stream_event':
        return this.streamEvent(event);
      case 'result':
        this.lastResult = event;
        return this.usage.result(event);
      default:
        if (!KNOWN_EVENTS.has(textAt(event, 'type') ?? '')) this.unknown += 1;
    }
  }

  private system(event: JsonObject): void {
    const subtype = textAt(event, 'subtype');
    if (subtype === 'init') {
      this.init ??= event;
      this.calls.startedIn(textAt(event, 'cwd'));
    }
    if (subtype === 'api_retry') this.retries += 1;
  }

  private assistant(event: JsonObject): void {
    const message = objectAt(event, 'message');
    if (message === null || textAt(message, 'model') === SYNTHETIC_MODEL) return;
    const isMain = textAt(event, 'parent_tool_use_id') === null;
    this.usage.message(message, isMain);
    const model = textAt(message, 'model');
    if (isMain && model !== null && this.served.size < 16) this.served.add(model);
    for (const block of blocksOf(message)) this.block(block, textAt(message, 'id'), isMain);
  }

  private block(block: JsonObject, messageId: string | null, isMain: boolean): void {
    const type = textAt(block, 'type');
    if (type === 'tool_use' && this.callIds.isNew(textAt(block, 'id'), true)) {
      this.calls.add(toolCall(textAt(block, 'name') ?? '?', objectAt(block, 'input')));
    }
    const text = type === 'text' && isMain ? textAt(block, 'text') : null;
    if (text === null) return;
    const isSame = this.answer !== null && messageId !== null && this.answer.id === messageId;
    this.answer = { id: messageId, text: isSame ? `${this.answer?.text}\n${text}` : text };
  }

  private streamEvent(event: JsonObject): void {
    const inner = objectAt(event, 'event');
    if (textAt(inner, 'type') === 'message_start') {
      this.streamed = textAt(objectAt(inner, 'message'), 'id');
    } else if (textAt(inner, 'type') === 'message_delta') {
      const id = textAt(event, 'api_message_id') ?? this.streamed;
      this.usage.finishedMessage(id, objectAt(inner, 'usage'));
    }
  }

  reading(counts: ParseCounts): TranscriptReading {
    const { init, lastResult, usage } = this;
    const start = init === null ? null : claudeStart(init);
    const modelReported = [...this.served].at(-1) ?? textAt(init, 'model');
    const own = {
      ...usage.figures(),
      model_reported: modelReported,
      models_served: [...this.served],
      cli_version: start?.cliVersion,
      mcp_servers: init === null ? null : objectsAt(init, 'mcp_servers'),
      memory_paths: start?.memoryPaths,
      user_config: start?.userConfig,
      tools_available: init === null ? null : toolCount(init),
      num_turns: numberAt(lastResult, 'num_turns'),
      duration_ms: numberAt(lastResult, 'duration_ms'),
      is_error: lastResult?.['is_error'],
      permission_denials:
        lastResult === null ? null : listAt(lastResult, 'permission_denials').length,
      api_retries: this.retries,
    };
    const shared = {
      calls: this.calls,
      counts,
      unknownEvents: this.unknown,
      turns: usage.turns,
      turnCount: usage.turnCount,
      contextBeforeFirstToolCall: usage.turns[0]?.context_tokens ?? null,
    };
    return { metrics: metricsOf(shared, own), answer: this.answerText(), modelReported };
  }

  /** The result of a failed run is the CLI's own sentence. */
  private answerText(): string | null {
    const result =
      this.lastResult?.['is_error'] === true ? null : textAt(this.lastResult, 'result');
    return result !== null && result !== '' ? result : (this.answer?.text ?? null);
  }
}
