/** A Ruby regular expression in JavaScript's words, or why it has none. `problem` completes "suite_ran_pattern …". */
export type TranslatedPattern =
  | { readonly ok: true; readonly source: string; readonly flags: string }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

/** What is written differently in JavaScript but means the same. */
const ESCAPES: Readonly<Record<string, string>> = {
  A: '(?<![^])',
  z: '(?![^])',
  Z: '(?=\\n?(?![^]))',
  h: '[0-9a-fA-F]',
  H: '[^0-9a-fA-F]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r\\u0085\\u2028\\u2029])',
  a: '\\x07',
  e: '\\x1b',
};

const CLASS_ESCAPES: Readonly<Record<string, string>> = { h: '0-9a-fA-F', a: '\\x07', e: '\\x1b' };

/** Bracket classes by the ASCII characters they hold: what test runners print is ASCII. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9a-fA-F',
};

/** What has no counterpart, and the JavaScript form to write in its place. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^\\[pP]\{\^?[A-Za-z]/, 'write the characters out, such as [A-Za-z]'],
  [/^\\G/, 'write ^ or nothing'],
  [/^\\K/, 'write (?<=…) around what stands before \\K'],
  [/^\\X/, 'write .'],
  [/^\\g[<']/, 'write the group out a second time'],
  [/^\\[CM]-/, 'write \\xHH'],
  [/^\\u\{[0-9a-fA-F]+\s/, 'write \\uHHHH for each character'],
  [/^\(\?>/, 'write (?:…)'],
  [/^\(\?~/, 'write (?:(?!…)[^])*'],
  [/^\(\?\(/, 'write the two cases as (?:…|…)'],
  [
    /^\(\?(?=[imxadu-])[imxadu]*-?[imxadu]*[:)]/,
    'write (?i) or (?m) at the very start, or spell both cases as [aA]',
  ],
  [/^(?:[*+?])\+/, 'write the quantifier without the +'],
];

const FORBIDDEN_IN_CLASS: readonly (readonly [RegExp, string])[] = [
  [/^&&/, 'write the characters that both sides have'],
  [/^\\[HRX]/, 'write the characters out'],
  [/^\\[pP]\{/, 'write the characters out, such as A-Za-z'],
  [
    /^\[(?!:\^?[a-z]+:\])/,
    'write the inner characters without brackets, or \\[ for the character itself',
  ],
];

class Unsupported extends Error {
  constructor(
    readonly construct: string,
    readonly hint: string,
  ) {
    super(construct);
  }
}

/** Matched with flag `m`, because `^` and `$` are the ends of a line in Ruby. */
export function translateRubyPattern(ruby: string): TranslatedPattern {
  const { flags, body } = leadingFlags(ruby);
  try {
    const source = translate(body);
    new RegExp(source, flags);
    return { ok: true, source, flags };
  } catch (error) {
    if (error instanceof Unsupported) {
      return {
        ok: false,
        problem: `has ${error.construct}, which JavaScript does not`,
        hint: error.hint,
      };
    }
    const reason = (error as Error).message.replace(/^.*\/[a-z]*: /s, '');
    const hint = 'correct the pattern; text with special characters needs a \\ before each of them';
    return { ok: false, problem: `does not compile: ${reason}`, hint };
  }
}

/** `(?i)` and Ruby's `(?m)` (a dot matches line ends too) hold for all that follows them. */
function leadingFlags(ruby: string): { flags: string; body: string } {
  const [whole, letters = ''] = /^\(\?([im]+)\)/.exec(ruby) ?? [''];
  const extra = `${letters.includes('i') ? 'i' : ''}${letters.includes('m') ? 's' : ''}`;
  return { flags: `${extra}m`, body: ruby.slice(whole.length) };
}

function translate(body: string): string {
  let out = '';
  for (let at = 0; at < body.length;) {
    const rest = body.slice(at);
    refuse(rest, REFUSED);
    const [taken, written] = next(rest);
    at += taken;
    out += written;
  }
  return out;
}

/** How much of the text is one element, and what it is in JavaScript. */
function next(rest: string): readonly [number, string] {
  if (rest.startsWith('[')) return bracketClass(rest);
  if (rest.startsWith('\\')) return escape(rest, ESCAPES);
  const comment = /^\(\?#(?:[^)\\]|\\.)*\)/s.exec(rest);
  if (comment !== null) return [comment[0].length, '(?:)'];
  const upTo = /^\{,(\d+)\}/.exec(rest);
  if (upTo !== null) return [upTo[0].length, `{0,${upTo[1]}}`];
  return [1, rest.slice(0, 1)];
}

function escape(rest: string, known: Readonly<Record<string, string>>): readonly [number, string] {
  const code = /^\\u\{([0-9a-fA-F]{1,6})\}/.exec(rest);
  if (code?.[1] !== undefined) return [code[0].length, unicode(code[1], code[0])];
  const letter = rest.slice(1, 2);
  return [2, Object.hasOwn(known, letter) ? (known[letter] ?? '') : rest.slice(0, 2)];
}

function unicode(hex: string, written: string): string {
  const code = Number.parseInt(hex, 16);
  if (code > 0xffff) throw new Unsupported(written, 'write the character itself');
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

function bracketClass(rest: string): readonly [number, string] {
  const open = rest.startsWith('[^') ? '[^' : '[';
  let out = open;
  let at = open.length;
  // In Ruby a bracket right after the opening one is a character, not the end.
  if (rest[at] === ']') [out, at] = [`${out}\\]`, at + 1];
  while (at < rest.length) {
    const inner = rest.slice(at);
    if (inner.startsWith(']')) return [at + 1, `${out}]`];
    refuse(inner, FORBIDDEN_IN_CLASS);
    const [taken, written] = classElement(inner);
    at += taken;
    out += written;
  }
  return [at, out];
}

function classElement(inner: string): readonly [number, string] {
  const posix = /^\[:(\^?)([a-z]+):\]/.exec(inner);
  if (posix !== null) {
    const [whole, negated, name = ''] = posix;
    const characters = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
    if (characters === undefined || negated === '^') {
      throw new Unsupported(whole, 'write the characters out, such as [^A-Za-z]');
    }
    return [whole.length, characters];
  }
  return inner.startsWith('\\') ? escape(inner, CLASS_ESCAPES) : [1, inner.slice(0, 1)];
}

function refuse(rest: string, table: readonly (readonly [RegExp, string])[]): void {
  for (const [construct, hint] of table) {
    const found = construct.exec(rest);
    if (found !== null) throw new Unsupported(found[0], hint);
  }
}
