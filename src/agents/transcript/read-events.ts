import { isObject, type JsonObject } from '../../domain/json-value.js';
import { isPlainFile } from '../../support/plain-file.js';
import { readLines, TOO_LONG } from './read-lines.js';

/** Longer lines are counted and left out: the largest events (images in tool results) are some MB. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** How healthy a transcript is. Keys as in metrics.json. */
export interface ParseCounts {
  /** JSON objects that were read. */
  readonly raw_events: number;
  /** Lines that are no JSON object, a torn last one and those that are too long among them. */
  readonly unparsable_lines: number;
  /** The file ends in the middle of a line that is no JSON. */
  readonly torn_last_line: boolean;
  readonly oversized_lines: number;
}

/**
 * Reads a file with one JSON value a line, of any size, in constant memory. A list counts as the events in
 * it (`claude --output-format json`); invalid UTF-8 becomes U+FFFD; what can't be read is counted.
 * @throws the system's error when the file is missing or out of reach
 */
export async function readEvents(
  file: string,
  onEvent: (event: JsonObject) => void,
  maxLineBytes = MAX_LINE_BYTES,
): Promise<ParseCounts> {
  const counts = { raw_events: 0, unparsable_lines: 0, torn_last_line: false, oversized_lines: 0 };
  for await (const lines of readLines(file, maxLineBytes)) {
    for (const line of lines) {
      if (line === TOO_LONG) {
        counts.oversized_lines += 1;
        counts.unparsable_lines += 1;
        continue;
      }
      const text = line.bytes.toString();
      const events = eventsIn(text);
      if (events === null) {
        counts.unparsable_lines += 1;
        counts.torn_last_line = line.isTorn;
      } else {
        counts.raw_events += events.length;
        events.forEach(onEvent);
      }
    }
  }
  return counts;
}

/** Null for what is neither an event nor a list of events; none for an empty line. */
function eventsIn(text: string): readonly JsonObject[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === '' ? [] : null;
  }
  if (isObject(value)) return [value];
  return Array.isArray(value) && value.every(isObject) ? value : null;
}

/** Like {@link readEvents}; a file that is missing or out of reach has no events. */
export async function readEventsIfThere(
  file: string,
  onEvent: (event: JsonObject) => void,
): Promise<void> {
  if (await isPlainFile(file)) await readEvents(file, onEvent);
}
