import {
  Composer,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Parser,
  type CST,
  type ParsedNode,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { brief } from './code-frame.js';
import type { SourceText } from './source-text.js';
import { isDate, textOf } from './yaml-scalar.js';

/** An experiment file is four levels deep; anything far beyond that is an accident or an attack. */
const MAX_DEPTH = 20;

/** Characters that YAML does not allow in a file at all. */
const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u0084\u0086-\u009f\ufffe\uffff]/;

/** Each of these is a mistake of its own; every other error may only be the echo of an earlier one. */
const LOCAL_ERRORS = new Set(['TAB_AS_INDENT', 'BAD_SCALAR_START', 'BAD_DQ_ESCAPE']);

/** More syntax errors than anybody reads; the rest would only cost time. */
const MOST_ERRORS = 100;

/**
 * The file's content as YAML 1.1 nodes, or null when it can't be read; faults go to the source. Scalars
 * are kept as text: what a plain word means is decided by the rule that asks for it.
 */
export function readYaml(source: SourceText): ParsedNode | null {
  const tokens = [...new Parser(source.lines.addNewLine).parse(source.text)];
  if (hasForbiddenCharacter(source) || isTooDeep(source, tokens)) return null;
  const options = { version: '1.1', schema: 'failsafe', uniqueKeys: false } as const;
  const composer = new Composer(options);
  const documents = [...composer.compose(withFewErrors(tokens), true, source.text.length)];
  const [first, second] = documents;
  if (first === undefined || reportSyntax(source, first.errors)) return null;
  if (second?.contents != null) {
    source.fault(
      second.contents,
      'a second YAML document starts here',
      'keep one document in the file: remove the --- line',
    );
    return null;
  }
  const root = first.contents;
  if (root !== null) refuseSpecials(source, root);
  return root;
}

function hasForbiddenCharacter(source: SourceText): boolean {
  const at = source.text.search(FORBIDDEN);
  if (at === -1) return false;
  const code = source.text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  source.fault(
    { range: [at, at + 1] },
    `the file has ${code === '0000' ? 'a NUL character' : 'the control character'} (U+${code})`,
    'remove the character',
  );
  return true;
}

/** Looks at the tokens, level by level: the composer below is recursive. */
function isTooDeep(source: SourceText, tokens: readonly CST.Token[]): boolean {
  let level: readonly CST.Token[] = tokens;
  for (let depth = 0; level.length > 0; depth++) {
    const [token] = level;
    if (depth > MAX_DEPTH && token !== undefined) {
      source.fault(
        { range: [token.offset, token.offset + 1] },
        'the file is nested too deeply',
        'an experiment file has no more than four levels',
      );
      return true;
    }
    level = level.flatMap(children);
  }
  return false;
}

function withFewErrors(tokens: readonly CST.Token[]): readonly CST.Token[] {
  let errors = 0;
  return tokens.filter((token) => token.type !== 'error' || errors++ < MOST_ERRORS);
}

function children(token: CST.Token): readonly CST.Token[] {
  const inner: (CST.Token | null | undefined)[] = [];
  if ('items' in token) for (const item of token.items) inner.push(item.key, item.value);
  else if (token.type === 'document') inner.push(token.value);
  return inner.filter((child) => child != null);
}

function reportSyntax(source: SourceText, errors: readonly YAMLError[]): boolean {
  const own = errors.filter((error, index) => index === 0 || LOCAL_ERRORS.has(error.code));
  for (const error of own.slice(0, MOST_ERRORS)) {
    const words = syntaxWords(error);
    source.fault({ range: error.pos }, words.message, words.hint);
  }
  return errors.length > 0;
}

function syntaxWords(error: YAMLError): { readonly message: string; readonly hint: string } {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return { message: 'a tab indents this line', hint: 'indent with spaces, never with tabs' };
    case 'BAD_SCALAR_START':
      return { message: `not valid YAML: ${error.message}`, hint: 'put the value in quotes' };
    default:
      return {
        message: `not valid YAML: ${error.message.replace(/\s+/g, ' ')}`,
        hint: 'correct the syntax at the caret or just before it',
      };
  }
}

/** Aliases, tags, dates, NUL and keys that occur twice: refused wherever they stand. */
function refuseSpecials(source: SourceText, node: ParsedNode): void {
  if (isAlias(node)) {
    source.spoil(
      node,
      `YAML aliases are not allowed: *${brief(node.source)}`,
      'write the value out',
    );
  } else if (node.tag !== undefined) {
    const tag = brief(node.tag.replace('tag:yaml.org,2002:', '!!'));
    source.spoil(node, `YAML tags are not allowed: ${tag}`, 'remove the tag');
  } else if (isScalar(node)) {
    if (isDate(node)) {
      const text = brief(textOf(node));
      source.spoil(node, `YAML dates are not allowed: ${text}`, `put it in quotes: "${text}"`);
    } else if (textOf(node).includes('\0')) {
      source.spoil(node, 'the value has a NUL character', 'remove the \\0 from the value');
    }
  } else if (isMap(node)) refuseInMap(source, node);
  else if (isSeq(node)) {
    for (const item of node.items) if (!isPair(item)) refuseSpecials(source, item);
  }
}

function refuseInMap(source: SourceText, map: YAMLMap): void {
  const seen = new Map<string, number>();
  for (const { key, value } of map.items as { key: ParsedNode; value: ParsedNode | null }[]) {
    refuseSpecials(source, key);
    if (value !== null) refuseSpecials(source, value);
    if (!isScalar(key) || source.isSpoiled(key)) continue;
    const name = textOf(key);
    const line = seen.get(name);
    if (line === undefined) seen.set(name, source.lineAt(key.range[0]));
    else
      source.spoil(
        key,
        `duplicate key: ${brief(name)} (first in line ${line})`,
        'keep one of them',
      );
  }
}
