/** Longer strings are no model's name. */
const LONGEST_NAME = 256;

/** Enough for everything that comes before the model in any request or first event. */
const LONGEST_SCAN_BYTES = 4 * 1024 * 1024;

/** Levels of objects that are looked into. */
const LEVELS = 2;

/** Where APIs name the model that a request asks for. */
export const ASKED_AT: ReadonlySet<string> = new Set(['model']);

/** Where they name the one that answers: in the answer, or in the first event of a stream. */
export const SERVED_AT: ReadonlySet<string> = new Set([
  'model',
  'modelVersion',
  'message.model',
  'response.model',
]);

const BYTE = {
  newline: 0x0a,
  quote: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  open: 0x7b,
  close: 0x7d,
} as const;

/**
 * Finds the model in JSON that passes by, in constant memory and without parsing the rest: text inside of
 * strings, and keys of deeper levels, are not mistaken for it.
 */
export class ModelScan {
  /** Null until it is found. */
  model: string | null = null;
  private readBytes = 0;
  private depth = 0;
  /** For each level that is looked into: an object's current key; null in an array. */
  private keys: (string | null)[] = [];
  private awaitsKey = false;
  private inString = false;
  private escaped = false;
  /** The string under way; null where it is of no interest or too long. */
  private text: number[] | null = null;

  constructor(
    private readonly paths: ReadonlySet<string>,
    /** Server-sent events: each line is JSON of its own. */
    private readonly isEvents = false,
  ) {}

  /** Nothing more is looked for. */
  get isOver(): boolean {
    return this.model !== null || this.readBytes > LONGEST_SCAN_BYTES;
  }

  push(chunk: Uint8Array): void {
    if (this.isOver) return;
    this.readBytes += chunk.length;
    for (const byte of chunk) {
      if (this.inString) this.insideString(byte);
      else this.outsideString(byte);
      if (this.model !== null) return;
    }
  }

  private insideString(byte: number): void {
    if (this.isEvents && byte === BYTE.newline) {
      this.nextLine();
      return;
    }
    if (!this.escaped && byte === BYTE.quote) {
      this.inString = false;
      this.endString();
      return;
    }
    this.escaped = !this.escaped && byte === BYTE.backslash;
    if (this.text === null) return;
    if (this.text.length < LONGEST_NAME) this.text.push(byte);
    else this.text = null;
  }

  private outsideString(byte: number): void {
    switch (byte) {
      case BYTE.quote:
        this.inString = true;
        this.text = this.depth >= 1 && this.depth <= LEVELS && this.isObject() ? [] : null;
        break;
      case BYTE.open:
      case BYTE.openArray:
        this.depth += 1;
        if (this.depth <= LEVELS) this.keys[this.depth] = byte === BYTE.open ? '' : null;
        this.awaitsKey = byte === BYTE.open;
        break;
      case BYTE.close:
      case BYTE.closeArray:
        this.depth = Math.max(0, this.depth - 1);
        this.awaitsKey = false;
        break;
      case BYTE.comma:
        this.awaitsKey = this.depth <= LEVELS && this.isObject();
        break;
      case BYTE.newline:
        if (this.isEvents) this.nextLine();
        break;
      default:
    }
  }

  private endString(): void {
    const raw = this.text;
    this.text = null;
    if (raw === null) {
      // A key that is too long is none of those looked for.
      if (this.awaitsKey && this.depth <= LEVELS) this.keys[this.depth] = '';
      this.awaitsKey = false;
      return;
    }
    const value = unescaped(Buffer.from(raw).toString('utf8'));
    if (this.awaitsKey) {
      this.keys[this.depth] = value;
      this.awaitsKey = false;
    } else if (value !== '' && this.paths.has(this.path())) {
      this.model = value;
    }
  }

  private path(): string {
    return this.keys.slice(1, this.depth + 1).join('.');
  }

  private isObject(): boolean {
    return typeof this.keys[this.depth] === 'string';
  }

  private nextLine(): void {
    this.depth = 0;
    this.awaitsKey = false;
    this.inString = false;
    this.escaped = false;
    this.text = null;
  }
}

function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return ''; // cut in the middle of an escape
  }
}
