const WIDTH = 88;
const MOST_CARETS = 40;
const MAX_VALUE_LENGTH = 60;

/** The source line with carets below the place; long lines are cut around it. */
export function codeFrame(text: string, line: number, column: number, length: number): string {
  const start = Math.max(0, column - 1 - Math.floor(WIDTH / 2));
  const shown = visible(text.slice(start, start + WIDTH));
  const lead = start > 0 ? '…' : '';
  const before = lead + shown.slice(0, column - 1 - start);
  const room = Math.max(1, shown.length - (column - 1 - start));
  const carets = '^'.repeat(Math.max(1, Math.min(length, room, MOST_CARETS)));
  const gutter = String(line);
  return [
    `  ${gutter} | ${lead}${shown}`,
    `  ${' '.repeat(gutter.length)} | ${before.replace(WIDE, '\u3000').replace(/[^\u3000]/g, ' ')}${carets}`,
  ].join('\n');
}

/** Characters that fill two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

/** Nothing that moves the cursor, hides text or turns its direction. Keeps the length. */
export function visible(text: string): string {
  return text
    .replace(/\t/g, '→')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, '·');
}

/** A value as a message quotes it: printable and short. */
export function brief(text: string): string {
  const shown = visible(text.slice(0, MAX_VALUE_LENGTH));
  return text.length > MAX_VALUE_LENGTH ? `${shown}…` : shown;
}
