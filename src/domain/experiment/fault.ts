import { codeFrame } from './code-frame.js';

/** One mistake in an experiment file, with the place a person has to look at. */
export interface Fault {
  readonly message: string;
  /** Line and column count from 1; null when the mistake is not in the file's text. */
  readonly line: number | null;
  readonly column: number | null;
  /** The line with a caret below the place; empty without a place. */
  readonly frame: string;
  /** The edit that corrects it. */
  readonly hint: string;
}

const MOST_RENDERED = 20;

/** The text of an error: every fault with its place and frame, and its fix where there are several. */
export function renderFaults(file: string, faults: readonly Fault[]): string {
  const shown = faults.slice(0, MOST_RENDERED).map((fault) => {
    const place = fault.line === null ? '' : `:${fault.line}:${fault.column ?? 1}`;
    const lines = [`${file}${place}: ${fault.message}`];
    if (fault.frame !== '') lines.push(fault.frame);
    if (faults.length > 1) lines.push(`  fix: ${fault.hint}`);
    return lines.join('\n');
  });
  const omitted = faults.length - shown.length;
  return [...shown, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join('\n');
}

/** A fault of the file as a whole. */
export function fileFault(message: string, hint: string): Fault {
  return { message, line: null, column: null, frame: '', hint };
}

export function faultAt(
  line: { readonly text: string; readonly number: number },
  column: number,
  length: number,
  words: { readonly message: string; readonly hint: string },
): Fault {
  return {
    message: words.message,
    line: line.number,
    column,
    frame: codeFrame(line.text, line.number, column, length),
    hint: words.hint,
  };
}

/** In the order of the file; what has no place comes first. */
export function byPosition(a: Fault, b: Fault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
