import { LineCounter } from 'yaml';
import { byPosition, faultAt, type Fault } from './fault.js';

/** Anything of the file that has a place in it: a YAML node, or a bare range. */
export interface Placed {
  readonly range?: readonly [number, number, ...number[]] | null | undefined;
}

/** The text of one file, and what was found wrong with it so far. */
export class SourceText {
  readonly lines = new LineCounter();
  private readonly found: Fault[] = [];
  /** Nodes that have their fault already: no rule looks at them again. */
  private readonly spoiled = new Set<Placed>();

  constructor(readonly text: string) {}

  fault(at: Placed, message: string, hint: string): void {
    const [start, end] = at.range ?? [0, 0];
    this.found.push(this.faultBetween(start, end, { message, hint }));
  }

  /** A fault of the whole node: rules that would look at it stay silent. */
  spoil(at: Placed, message: string, hint: string): void {
    this.spoiled.add(at);
    this.fault(at, message, hint);
  }

  isSpoiled(at: Placed): boolean {
    return this.spoiled.has(at);
  }

  /** For what is wrong outside the text, such as an environment variable. */
  faultOutside(message: string, hint: string): void {
    this.found.push({ message, line: null, column: null, frame: '', hint });
  }

  get faults(): readonly Fault[] {
    return [...this.found].sort(byPosition);
  }

  lineAt(offset: number): number {
    return Math.max(1, this.lines.linePos(offset).line);
  }

  private faultBetween(
    start: number,
    end: number,
    words: { readonly message: string; readonly hint: string },
  ): Fault {
    const number = this.lineAt(start);
    const from = this.lines.lineStarts[number - 1] ?? 0;
    const until = this.text.slice(from, from + MAX_LINE).search(/\r?\n|$/) + from;
    // A range that ends on a later line is marked to the end of its first one.
    const length = Math.max(1, Math.min(end, until) - start);
    const line = { text: this.text.slice(from, until), number };
    return faultAt(line, start - from + 1, length, words);
  }
}

/** Enough for any line of a file that llmx reads. */
const MAX_LINE = 2 ** 21;
