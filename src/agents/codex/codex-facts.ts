import { numberAt, objectAt, saidAt, textAt, type JsonObject } from '../../domain/json-value.js';
import type {
  CodexFacts,
  CodexSession,
  CodexWindow,
} from '../../domain/trial/ending/codex-ending.js';
import type { RunFacts } from '../ending-verdict.js';
import { callOf } from './read-codex-transcript.js';

/** The CLI got over an error of the connection, or tries to. */
const RETRY = /^Reconnecting\b/;

/** Collects from a `codex exec --json` stream what tells how the run ended. */
export class CodexFactsReader {
  private events = 0;
  private turn: CodexFacts['turn'] = null;
  private failure = '';
  private openError: string | null = null;
  private hasRetried = false;
  private hasEvidence = false;
  private hasModelCall = false;
  private readonly mcpServers = new Set<string>();

  event(event: JsonObject): void {
    this.events += 1;
    const type = textAt(event, 'type');
    if (type === 'error') {
      this.openError = saidAt(event, 'message');
      this.hasRetried ||= RETRY.test(this.openError);
      return;
    }
    this.openError = null;
    if (type === 'turn.started') this.turn = null;
    if (type === 'turn.completed') this.turn = 'completed';
    if (type === 'turn.failed') {
      this.turn = 'failed';
      this.failure = saidAt(objectAt(event, 'error'), 'message');
    }
    if (type?.startsWith('item.') === true) this.item(objectAt(event, 'item'));
  }

  private item(item: JsonObject | null): void {
    const type = textAt(item, 'type');
    if (item === null || type === null) return;
    const isText = type === 'agent_message' && (textAt(item, 'text') ?? '').trim() !== '';
    this.hasEvidence ||= isText || callOf(type, item) !== null;
    this.hasModelCall ||= this.hasEvidence || type === 'reasoning';
    const server = type === 'mcp_tool_call' ? textAt(item, 'server') : null;
    if (server !== null && this.mcpServers.size < 64) this.mcpServers.add(server);
  }

  facts(): CodexFacts {
    const { events, turn, failure, openError, hasRetried, hasEvidence, hasModelCall } = this;
    return { events, turn, failure, openError, hasRetried, hasEvidence, hasModelCall };
  }

  /** The stream names no version and no model; a server that was called was connected. */
  run(): RunFacts {
    const mcpServers = [...this.mcpServers].map((name) => ({ name, status: 'connected' }));
    return {
      start: { cliVersion: null, mcpServers, memoryPaths: {}, userConfig: [] },
      modelsServed: [],
    };
  }
}

/** Collects from codex's session file what its stream does not say. */
export class CodexSessionReader {
  private errorInfo: string | null = null;
  private errorStatus: number | null = null;
  private windows: readonly CodexWindow[] = [];

  event(event: JsonObject): void {
    const payload = objectAt(event, 'payload');
    if (textAt(payload, 'type') === 'task_complete') this.completed(objectAt(payload, 'error'));
    if (textAt(payload, 'type') !== 'token_count') return;
    const limits = objectAt(payload, 'rate_limits');
    const windows = ['primary', 'secondary'].flatMap(
      (name) => windowOf(objectAt(limits, name)) ?? [],
    );
    // Another family of limits has none: those before it still hold.
    if (windows.length > 0) this.windows = windows;
  }

  session(): CodexSession {
    const { errorInfo, errorStatus, windows } = this;
    return { errorInfo, errorStatus, windows };
  }

  private completed(error: JsonObject | null): void {
    const info = error?.['codex_error_info'];
    const [[key, inner] = []] = Object.entries(objectAt(error, 'codex_error_info') ?? {});
    this.errorInfo = typeof info === 'string' ? info : (key ?? null);
    const details = key === undefined ? null : objectAt({ [key]: inner }, key);
    this.errorStatus = numberAt(details, 'http_status_code');
  }
}

function windowOf(window: JsonObject | null): CodexWindow | null {
  const usedPercent = numberAt(window, 'used_percent');
  if (usedPercent === null) return null;
  const seconds = numberAt(window, 'resets_at');
  return {
    usedPercent,
    windowMinutes: numberAt(window, 'window_minutes'),
    resetAtMs: seconds === null ? null : seconds * 1000,
  };
}
