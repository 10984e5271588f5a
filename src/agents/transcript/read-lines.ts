import type { FileHandle } from 'node:fs/promises';
import { openPlainFile } from '../../support/plain-file.js';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** A line without its newline; only valid until the next one is asked for. */
export interface RawLine {
  readonly bytes: Buffer;
  /** The file ends with it, and without a newline. */
  readonly isTorn: boolean;
}

/** A line that was longer than the limit; its bytes were not kept. */
export const TOO_LONG = 'too-long';

/**
 * The lines of a file in constant memory: one chunk, and one line of at most `maxLineBytes`. Anything but a
 * plain file has no lines: an agent may have put a pipe or a link in its place.
 * @throws the system's error when the file is missing or out of reach
 */
export async function* readLines(
  file: string,
  maxLineBytes: number,
): AsyncGenerator<readonly (RawLine | typeof TOO_LONG)[]> {
  const plain = await openPlainFile(file);
  if (plain === null) return;
  try {
    yield* linesOf(plain.handle, maxLineBytes);
  } finally {
    await plain.handle.close();
  }
}

async function* linesOf(
  handle: FileHandle,
  maxLineBytes: number,
): AsyncGenerator<readonly (RawLine | typeof TOO_LONG)[]> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const line = new GrowingLine(maxLineBytes);
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    yield* linesIn(chunk.subarray(0, bytesRead), line);
  }
  const last = line.end(true);
  if (last !== null) yield [last];
}

/** Whole lines of a chunk in one list, so that a short line costs no turn of the event loop. */
function* linesIn(
  chunk: Buffer,
  line: GrowingLine,
): Generator<readonly (RawLine | typeof TOO_LONG)[]> {
  let start = 0;
  let lines: (RawLine | typeof TOO_LONG)[] = [];
  for (;;) {
    const end = chunk.indexOf(NEWLINE, start);
    if (end < 0) break;
    if (line.isEmpty && end - start <= line.maxBytes) {
      lines.push({ bytes: chunk.subarray(start, end), isTorn: false });
    } else {
      line.add(chunk.subarray(start, end));
      const whole = line.end(false);
      if (whole !== null) yield [...lines, whole];
      lines = [];
    }
    start = end + 1;
  }
  line.add(chunk.subarray(start));
  yield lines;
}

/** Collects a line that is spread over chunks, up to a limit. */
class GrowingLine {
  private parts: Buffer[] = [];
  private size = 0;

  constructor(readonly maxBytes: number) {}

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** Copies the bytes: the chunk they are in is used again. */
  add(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.size > this.maxBytes) this.parts = [];
    else if (bytes.length > 0) this.parts.push(Buffer.from(bytes));
  }

  /** Null when nothing was added. */
  end(isTorn: boolean): RawLine | typeof TOO_LONG | null {
    const { parts, size } = this;
    this.parts = [];
    this.size = 0;
    if (size === 0) return isTorn ? null : { bytes: Buffer.alloc(0), isTorn };
    return size > this.maxBytes ? TOO_LONG : { bytes: Buffer.concat(parts), isTorn };
  }
}
