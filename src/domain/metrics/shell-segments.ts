/** Splits a shell command into the commands it runs, as far as that can be read off the text. */

/** One command of a shell text, words without quotes. */
export interface ShellSegment {
  readonly words: readonly string[];
  /** Output goes into a file (`>`, `>>`, `&>`; not `2>&1`, not /dev/null). */
  readonly writesFile: boolean;
}

/** Deeper `$(…)` is kept as the text it is. */
const MAX_DEPTH = 8;
/** Longer texts are data, not commands. */
const MAX_CHARS = 64 * 1024;

/**
 * Commands between `;`, `&&`, `||`, `|`, `&`, newlines and parentheses, those of `$(…)` and backticks
 * included (before the one that uses them). Quotes, escapes, comments and here-documents are understood;
 * their bodies are data. Never fails: an unclosed quote ends with the text.
 */
export function shellSegments(command: string): readonly ShellSegment[] {
  return new Scanner(command.slice(0, MAX_CHARS), 0).run().segments;
}

/** The text without here-document bodies: what an agent asked for, not what it wrote. */
export function withoutHereDocuments(command: string): string {
  return new Scanner(command.slice(0, MAX_CHARS), 0).run().kept;
}

class Scanner {
  private at = 0;
  private readonly found: ShellSegment[] = [];
  private words: string[] = [];
  private word: string | null = null;
  private writesFile = false;
  /** The next word is the target of a redirection. */
  private redirect: 'in' | 'out' | null = null;
  private readonly documents: { readonly end: string; readonly indented: boolean }[] = [];
  /** Ranges of the text that are here-document bodies. */
  private readonly bodies: (readonly [from: number, to: number])[] = [];

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  run(): { readonly segments: readonly ShellSegment[]; readonly kept: string } {
    while (this.at < this.text.length) this.step(this.text[this.at] ?? '');
    this.endSegment();
    let kept = '';
    let from = 0;
    for (const [start, end] of this.bodies) {
      kept += this.text.slice(from, start);
      from = end;
    }
    return { segments: this.found, kept: kept + this.text.slice(from) };
  }

  private step(char: string): void {
    switch (char) {
      case '\\':
        // An escaped newline is nothing at all.
        if (this.text[this.at + 1] !== '\n') this.add(this.text[this.at + 1] ?? '');
        this.at += 2;
        return;
      case "'":
        return this.singleQuoted();
      case '"':
        return this.doubleQuoted();
      case '`':
        return this.backticks();
      case '$':
        return this.dollar();
      case '\n':
        this.endSegment();
        this.at += 1;
        return this.skipDocuments();
      case ' ':
      case '\t':
      case '\r':
        this.endWord();
        this.at += 1;
        return;
      case '#':
        if (this.word === null) this.at = this.indexOf('\n', this.at);
        else this.plain(char);
        return;
      case ';':
      case '|':
      case '(':
      case ')':
        this.endSegment();
        this.at += 1;
        return;
      case '&':
        return this.ampersand();
      case '<':
      case '>':
        return this.redirection(char);
      default:
        return this.plain(char);
    }
  }

  private plain(char: string): void {
    this.add(char);
    this.at += 1;
  }

  private add(text: string): void {
    this.word = (this.word ?? '') + text;
  }

  private indexOf(char: string, from: number): number {
    const found = this.text.indexOf(char, from);
    return found < 0 ? this.text.length : found;
  }

  private singleQuoted(): void {
    const end = this.indexOf("'", this.at + 1);
    this.add(this.text.slice(this.at + 1, end));
    this.at = end + 1;
  }

  private doubleQuoted(): void {
    this.add('');
    this.at += 1;
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? '';
      if (char === '"') {
        this.at += 1;
        return;
      }
      if (char === '\\') {
        const next = this.text[this.at + 1] ?? '';
        this.add('"\\$`'.includes(next) ? next : next === '\n' ? '' : char + next);
        this.at += 2;
      } else if (char === '`') this.backticks();
      else if (char === '$') this.dollar();
      else this.plain(char);
    }
  }

  private backticks(): void {
    const end = this.indexOf('`', this.at + 1);
    this.nested(this.text.slice(this.at + 1, end));
    this.add(this.text.slice(this.at, end + 1));
    this.at = end + 1;
  }

  private dollar(): void {
    const next = this.text[this.at + 1];
    if (next !== '(') return this.plain('$');
    const end = this.closing(this.at + 1);
    const isArithmetic = this.text[this.at + 2] === '(';
    if (!isArithmetic) this.nested(this.text.slice(this.at + 2, end));
    this.add(this.text.slice(this.at, end + 1));
    this.at = end + 1;
  }

  /** Index of the parenthesis that closes the one at `open`, quotes skipped. */
  private closing(open: number): number {
    let depth = 0;
    for (let at = open; at < this.text.length; at += 1) {
      const char = this.text[at];
      if (char === '\\') at += 1;
      else if (char === "'") at = this.indexOf("'", at + 1);
      else if (char === '(') depth += 1;
      else if (char === ')') {
        depth -= 1;
        if (depth === 0) return at;
      }
    }
    return this.text.length;
  }

  private nested(text: string): void {
    if (this.depth >= MAX_DEPTH) return;
    this.found.push(...new Scanner(text, this.depth + 1).run().segments);
  }

  private ampersand(): void {
    if (this.text[this.at + 1] === '>') {
      this.at += 1;
      return this.redirection('>');
    }
    this.endSegment();
    this.at += 1;
  }

  private redirection(char: '<' | '>'): void {
    // A number before it is the stream, not a word.
    if (this.word !== null && /^\d+$/.test(this.word)) this.word = null;
    this.endWord();
    const operator = /^(<<<|<<-?|<>|<&|<|>>|>\||>&|>)/.exec(this.text.slice(this.at, this.at + 3));
    const sign = operator?.[0] ?? char;
    this.at += sign.length;
    if (sign === '<<' || sign === '<<-') return this.hereDocument(sign === '<<-');
    this.redirect = char === '>' ? 'out' : 'in';
    if (sign === '>&' || sign === '<&') {
      // To another stream: no file.
      const stream = /^(\d+|-)/.exec(this.text.slice(this.at, this.at + 8));
      if (stream !== null) {
        this.at += stream[0].length;
        this.redirect = null;
      }
    }
  }

  private hereDocument(indented: boolean): void {
    const [whole, , quoted, plain] =
      /^[ \t]*(?:(['"])(.*?)\1|\\?([\w.-]+))/.exec(this.text.slice(this.at, this.at + 200)) ?? [];
    if (whole === undefined) return;
    this.at += whole.length;
    this.documents.push({ end: quoted ?? plain ?? '', indented });
  }

  /** At the start of the line after the one that opened them. */
  private skipDocuments(): void {
    for (const { end, indented } of this.documents.splice(0)) {
      const start = this.at;
      let bodyEnd = this.text.length;
      while (this.at < this.text.length) {
        const lineEnd = this.indexOf('\n', this.at);
        const line = this.text.slice(this.at, lineEnd);
        this.at = lineEnd + 1;
        if ((indented ? line.replace(/^\t+/, '') : line).trimEnd() === end) {
          bodyEnd = Math.min(this.at, this.text.length);
          break;
        }
      }
      this.bodies.push([start, bodyEnd]);
    }
  }

  private endWord(): void {
    if (this.word === null) return;
    if (this.redirect === null) this.words.push(this.word);
    else if (this.redirect === 'out' && this.word !== '/dev/null') this.writesFile = true;
    this.redirect = null;
    this.word = null;
  }

  private endSegment(): void {
    this.endWord();
    if (this.words.length > 0 || this.writesFile) {
      this.found.push({ words: this.words, writesFile: this.writesFile });
    }
    this.words = [];
    this.writesFile = false;
    this.redirect = null;
  }
}
