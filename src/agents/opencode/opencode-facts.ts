import { numberAt, objectAt, saidAt, textAt, type JsonObject } from '../../domain/json-value.js';
import type { OpencodeError, OpencodeFacts } from '../../domain/trial/ending/opencode-ending.js';

/** Collects from an `opencode run --format json` stream what tells how the run ended. */
export class OpencodeFactsReader {
  private events = 0;
  private error: OpencodeError | null = null;
  private lastStep: string | null = null;
  private hasEvidence = false;

  event(event: JsonObject): void {
    this.events += 1;
    const part = objectAt(event, 'part');
    switch (textAt(event, 'type')) {
      case 'error':
        this.error = errorOf(objectAt(event, 'error'));
        return;
      case 'tool_use':
        this.hasEvidence = true;
        return;
      case 'text':
        this.hasEvidence ||= (textAt(part, 'text') ?? '').trim() !== '';
        return;
      case 'step_start':
        this.lastStep = null;
        return;
      case 'step_finish':
        this.lastStep = textAt(part, 'reason');
        return;
      default:
    }
  }

  facts(): OpencodeFacts {
    const { events, error, lastStep, hasEvidence } = this;
    return { events, error, lastStep, hasEvidence };
  }
}

function errorOf(error: JsonObject | null): OpencodeError {
  const data = objectAt(error, 'data');
  const headers = Object.entries(objectAt(data, 'responseHeaders') ?? {});
  return {
    name: textAt(error, 'name') ?? '',
    message: saidAt(data, 'message'),
    status: numberAt(data, 'statusCode'),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: textAt(data, 'responseBody') ?? '',
  };
}
