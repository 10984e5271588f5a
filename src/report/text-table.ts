/** Plain columns for a terminal: no boxes, so that grep and cut work on them. */

export interface Column {
  readonly header: string;
  readonly align: 'left' | 'right';
}

export const left = (header: string): Column => ({ header, align: 'left' });
export const right = (header: string): Column => ({ header, align: 'right' });

export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

const GAP = '  ';
const NARROWEST = 8;

/** @param width characters a line may have; the widest text columns are cut to fit */
export function renderTextTable(table: Table, width = Infinity): string {
  const lines = [table.columns.map((column) => column.header), ...table.rows].map((row) =>
    row.map(printable),
  );
  const widths = fit(
    table.columns.map((column, index) => ({
      width: Math.max(...lines.map((line) => displayWidth(line[index] ?? ''))),
      canShrink: column.align === 'left',
    })),
    width,
  );
  const text = lines.map((line) =>
    line
      .map((cell, index) => pad(cell, widths[index] ?? 0, table.columns[index]?.align ?? 'left'))
      .join(GAP)
      .trimEnd(),
  );
  return [table.title, ...text].join('\n');
}

interface ColumnWidth {
  readonly width: number;
  readonly canShrink: boolean;
}

/** Takes one character at a time from the widest column that may lose one. */
function fit(columns: readonly ColumnWidth[], available: number): readonly number[] {
  const widths = columns.map((column) => column.width);
  const gaps = GAP.length * (columns.length - 1);
  let excess = widths.reduce((total, width) => total + width, gaps) - available;
  while (excess > 0) {
    const shrinkable = widths.filter((_width, index) => columns[index]?.canShrink);
    const widest = Math.max(...shrinkable);
    if (widest <= NARROWEST) return widths; // the terminal wraps what can't be cut any more
    const index = widths.findIndex((width, at) => width === widest && columns[at]?.canShrink);
    widths[index] = widest - 1;
    excess--;
  }
  return widths;
}

function pad(text: string, width: number, align: Column['align']): string {
  const shown = displayWidth(text) > width ? cut(text, width - 1) : text;
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(shown)));
  return align === 'left' ? shown + blanks : blanks + shown;
}

function cut(text: string, width: number): string {
  let kept = '';
  for (const character of text) {
    if (displayWidth(kept + character) > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Control and format characters of a foreign tree must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

/** Columns on a terminal: marks take none, East Asian letters take two. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(/\p{Mark}/gu, '')) {
    width += /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(
      character,
    )
      ? 2
      : 1;
  }
  return width;
}
