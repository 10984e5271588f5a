import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { brief } from './code-frame.js';
import type { TextRule } from './rules.js';
import type { Placed, SourceText } from './source-text.js';
import { suggest } from './suggest.js';
import { booleanOf, isNull, isPlain, numberOf, textOf } from './yaml-scalar.js';

export const FILE = 'experiment.yml';

/** Bounds of a number; both are allowed values themselves unless `above` says otherwise. */
export interface NumberRule {
  readonly min?: number;
  /** Only larger values. */
  readonly above?: number;
  readonly max?: number;
  /** Only smaller values. */
  readonly below?: number;
}

export interface Entry {
  readonly key: string;
  readonly keyNode: Placed;
  /** Null when nothing is written. */
  readonly value: Node | null;
}

/**
 * The keys of one map of the file, read by rules. Every method reports what it finds wrong and then
 * answers as if the key had not been given, so that one mistake makes one fault.
 */
export class Fields {
  private readonly byKey: ReadonlyMap<string, Entry>;
  /** Known keys that a misspelt one most probably stands for: they are not missing. */
  private readonly misspelt = new Set<string>();

  constructor(
    readonly source: SourceText,
    /** What the map is called in messages: `experiment.yml`, `trial`, `apps.shop`, `task t1`. */
    readonly where: string,
    /** Where faults of missing keys point to. */
    readonly at: Placed,
    readonly map: YAMLMap | null,
    known: readonly string[],
  ) {
    const entries = map === null ? [] : entriesOf(source, map, where);
    this.byKey = new Map(entries.map((entry) => [entry.key, entry]));
    for (const { key, keyNode } of entries)
      if (!known.includes(key)) this.unknown(key, keyNode, known);
  }

  private unknown(key: string, keyNode: Placed, known: readonly string[]): void {
    const unused = known.filter((name) => !this.byKey.has(name));
    const meant = suggest(key, unused) ?? suggest(key, known);
    if (meant !== null) this.misspelt.add(meant);
    this.source.fault(
      keyNode,
      `unknown keys in ${this.where}: ${brief(key)}`,
      meant === null ? `known keys: ${known.join(', ')}` : `did you mean ${meant}?`,
    );
  }

  /** Whether something is written for the key, right or wrong. */
  has(key: string): boolean {
    return this.misspelt.has(key) || !isNothing(this.byKey.get(key)?.value ?? null);
  }

  /** The value when it is there and has no fault yet. */
  node(key: string): Node | null {
    const value = this.byKey.get(key)?.value ?? null;
    return isNothing(value) || (value !== null && this.source.isSpoiled(value)) ? null : value;
  }

  /** Where the key stands, or where it is missing. */
  place(key: string): Placed {
    const entry = this.byKey.get(key);
    return entry?.value?.range === undefined || isNothing(entry.value)
      ? (entry?.keyNode ?? this.at)
      : entry.value;
  }

  need(key: string, hint: string, message = `${this.where} needs ${key}`): void {
    if (!this.has(key)) this.source.fault(this.place(key), message, hint);
  }

  /** Reports `<key> <must>, not <value>`. */
  refuse(key: string, must: string, hint: string, node: Node | null = this.node(key)): void {
    const subject = this.where === FILE ? key : `${this.where}: ${key}`;
    const seen = node === null ? '' : `, not ${describe(node)}`;
    this.source.fault(node ?? this.place(key), `${subject} ${must}${seen}`, hint);
  }

  text(key: string, rule: TextRule): string | null {
    const node = this.node(key);
    return node === null ? null : this.textOf(key, node, rule);
  }

  private textOf(key: string, node: Node, rule: TextRule): string | null {
    if (isScalar(node) && !isNull(node) && rule.allows(textOf(node))) return textOf(node);
    this.refuse(key, rule.must, rule.hint, node);
    return null;
  }

  /** A list, or one value that stands for a list of one, as the gem's `Array()` has it. */
  texts(key: string, rule: TextRule): readonly string[] {
    return this.list(key).flatMap((node) => this.textOf(key, node, rule) ?? []);
  }

  private list(key: string): readonly Node[] {
    const node = this.node(key);
    if (node === null) return [];
    if (isSeq(node)) {
      return (node.items as Node[]).filter((item) => !this.source.isSpoiled(item));
    }
    if (isScalar(node)) return [node];
    this.refuse(key, 'must be a list', `write ${key}: [first, second]`);
    return [];
  }

  /** A list and nothing else: program and arguments, or the tasks. */
  strictList(key: string, hint: string): readonly Node[] | null {
    const node = this.node(key);
    if (node === null) return null;
    if (isSeq(node)) return node.items as Node[];
    this.refuse(key, 'must be a list', hint);
    return null;
  }

  argv(key: string, hint: string): readonly string[] | null {
    const nodes = this.strictList(key, hint);
    if (nodes === null) return null;
    const sound = nodes.filter((node) => !this.source.isSpoiled(node));
    const words = sound.flatMap((node) => (isScalar(node) && !isNull(node) ? [textOf(node)] : []));
    if (words.length < sound.length) this.refuse(key, 'must be a list of text', hint);
    else if (nodes.length === 0 || words[0] === '') this.refuse(key, 'must name a program', hint);
    return words;
  }

  whole(key: string, rule: NumberRule): number | null {
    return this.number(key, rule, 'a whole number', Number.isSafeInteger);
  }

  /** Whole seconds as milliseconds; the gem cuts fractions off. */
  seconds(key: string, rule: NumberRule): number | null {
    const seconds = this.number(key, rule, 'a number of seconds', () => true);
    return seconds === null ? null : Math.trunc(seconds) * 1_000;
  }

  number(
    key: string,
    rule: NumberRule,
    what = 'a number',
    allows: (value: number) => boolean = () => true,
  ): number | null {
    const node = this.node(key);
    if (node === null) return null;
    const value = isScalar(node) ? numberOf(node) : null;
    const bounds = boundTexts(rule);
    const hint = `write ${what}${bounds.length === 0 ? '' : ` ${bounds.join(' and ')}`}`;
    if (value === null || !allows(value)) {
      this.refuse(key, `must be ${what}`, hint);
      return null;
    }
    const broken = brokenBound(value, rule);
    if (broken === null) return value;
    this.refuse(key, `must be ${broken}`, hint);
    return null;
  }

  flag(key: string): boolean | null {
    const node = this.node(key);
    if (node === null) return null;
    const value = isScalar(node) ? booleanOf(node) : null;
    if (value === null) this.refuse(key, 'must be true or false', 'write true or false');
    return value;
  }

  choice<T extends string>(key: string, values: readonly T[]): T | null {
    const node = this.node(key);
    if (node === null) return null;
    const text = isScalar(node) ? textOf(node) : '';
    const value = values.find((known) => known === text);
    if (value !== undefined) return value;
    const meant = suggest(text, values);
    const hint = meant === null ? `write one of ${values.join(', ')}` : `did you mean ${meant}?`;
    this.refuse(key, `must be one of ${values.join(', ')}`, hint);
    return null;
  }

  /** A map below this one; without one, its rules apply to nothing. */
  sub(key: string, known: readonly string[]): Fields {
    const map = this.mapAt(key);
    return new Fields(this.source, key, this.place(key), map, known);
  }

  mapAt(key: string): YAMLMap | null {
    const node = this.node(key);
    if (node === null || isMap(node)) return node;
    this.refuse(
      key,
      'must be a map',
      `write keys and values below ${key}:, indented by two spaces`,
    );
    return null;
  }
}

/** Keys and values of a map, without those that have a fault already. */
export function entriesOf(source: SourceText, map: YAMLMap, where: string): readonly Entry[] {
  const entries: Entry[] = [];
  for (const { key, value } of map.items as { key: ParsedNode; value: ParsedNode | null }[]) {
    if (source.isSpoiled(key)) continue;
    if (isScalar(key) && !isNull(key)) entries.push({ key: textOf(key), keyNode: key, value });
    else {
      source.fault(
        key.range[0] < key.range[1] || value === null ? key : value,
        `a key in ${where} is not text`,
        'write "key: value" with a plain word before the colon',
      );
    }
  }
  return entries;
}

export function isNothing(node: Node | null): boolean {
  return node === null || (isScalar(node) && isNull(node));
}

function brokenBound(value: number, { min, above, max, below }: NumberRule): string | null {
  if (min !== undefined && value < min) return `at least ${min}`;
  if (above !== undefined && value <= above) return `above ${above}`;
  if (max !== undefined && value > max) return `at most ${max}`;
  return below !== undefined && value >= below ? `below ${below}` : null;
}

function boundTexts({ min, above, max, below }: NumberRule): readonly string[] {
  const bounds = [
    ['at least', min],
    ['above', above],
    ['at most', max],
    ['below', below],
  ] as const;
  return bounds.flatMap(([word, bound]) => (bound === undefined ? [] : [`${word} ${bound}`]));
}

/** A value as a message shows it: as written, quoted where it is no plain word. */
export function describe(node: Node): string {
  if (isMap(node)) return 'a map';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node)) return 'an alias';
  return describeScalar(node);
}

function describeScalar(scalar: Scalar): string {
  if (isNull(scalar)) return 'nothing';
  const text = brief(textOf(scalar));
  return isPlain(scalar) ? text : `"${text}"`;
}
