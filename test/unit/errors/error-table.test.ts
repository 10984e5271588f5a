import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { EXIT } from '../../../src/client/exit-codes.js';
import { fill, LlmxError } from '../../../src/errors/llmx-error.js';
import type { ErrorSpec } from '../../../src/errors/error-spec.js';
import { ERROR_TABLE, NON_RETRYABLE_CODES, type ErrorCode } from '../../../src/errors/table.js';
import { VOID_ERRORS } from '../../../src/errors/table/void.js';
import { sourceFiles } from '../../fixtures/source-files.js';

const ROWS = Object.entries(ERROR_TABLE) as readonly (readonly [ErrorCode, ErrorSpec])[];

const placeholders = ({ message, hint }: ErrorSpec): readonly string[] => [
  ...new Set(`${message} ${hint ?? ''}`.match(/(?<=\{)\w+(?=\})/g)),
];

interface Throw {
  readonly where: string;
  /** Empty where the code is not written as a text. */
  readonly codes: readonly string[];
  /** Null where the parameters are not written out. */
  readonly params: readonly string[] | null;
}

const THROWS = sourceFiles('src', '.ts').flatMap(({ path, text }) => throwsIn(path, text));

describe('every error of the table', () => {
  it.each(ROWS)('says what was wrong and what to do: %s', (code, spec) => {
    const params = Object.fromEntries(placeholders(spec).map((name) => [name, `<${name}>`]));
    const error = new LlmxError(code, params);
    expect(Object.values(EXIT)).toContain(error.exitCode);
    expect(`${error.message} ${error.hint ?? ''}`).not.toMatch(/[{}]/);
    expect(error.message).toMatch(/\S/);
    expect(error.hint).toMatch(/\S/);
    for (const text of [error.message, error.hint ?? '']) {
      expect(text).not.toMatch(/[.!]$|^\s|\s$/);
    }
  });

  it('has a name of lower case words', () => {
    for (const [code] of ROWS) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });
});

describe('every place that makes an error', () => {
  it('is found', () => {
    expect(THROWS.length).toBeGreaterThan(40);
  });

  it.each(THROWS.map((each) => [each.where, each] as const))(
    'fills its row: %s',
    (_where, made) => {
      const { codes, params, where } = made;
      if (codes.length === 0) {
        // Makes an error again with the parameters it had.
        expect(where).toMatch(/^src\/(client\/init\/make-experiment|apps\/image\/build-image)\.ts/);
        return;
      }
      expect(params).not.toBeNull();
      for (const code of codes) {
        expect(Object.keys(ERROR_TABLE)).toContain(code);
        const wanted = placeholders(ERROR_TABLE[code as ErrorCode]);
        expect([...(params ?? [])].sort()).toEqual([...wanted].sort());
      }
    },
  );

  it('knows no more than file, reason and kind of agent of a void attempt', () => {
    for (const spec of Object.values(VOID_ERRORS)) {
      expect(['file', 'reason', 'agent']).toEqual(expect.arrayContaining([...placeholders(spec)]));
    }
  });
});

describe('filling a template', () => {
  it('puts in text and numbers, and leaves a name without a value visible', () => {
    expect(fill('{a} of {b}: {c}', { a: 1, b: 'two' })).toBe('1 of two: {c}');
  });

  it('never fills what a value brings along, nor names of the prototype', () => {
    expect(fill('{a}', { a: '{b} $& $1', b: 'no' })).toBe('{b} $& $1');
    expect(fill('{toString}', {})).toBe('{toString}');
  });
});

describe('codes that Temporal does not retry', () => {
  it('are those that a retry can not help, without the void reasons', () => {
    expect(NON_RETRYABLE_CODES).toContain('experiment_invalid');
    expect(NON_RETRYABLE_CODES).not.toContain('temporal_unreachable');
    expect(NON_RETRYABLE_CODES).not.toContain('unexpected');
    for (const code of Object.keys(VOID_ERRORS)) expect(NON_RETRYABLE_CODES).not.toContain(code);
  });
});

/** Every `new LlmxError(…)` of a file. */
function throwsIn(path: string, text: string): readonly Throw[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Throw[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'LlmxError') {
      const [code, params] = node.arguments ?? [];
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({
        where: `${path}:${line + 1}`,
        codes: code === undefined ? [] : codesIn(code),
        params: params === undefined ? [] : namesIn(params),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The code as written, or the labels of the `case` in which the variable that holds it stands. */
function codesIn(code: ts.Expression): readonly string[] {
  if (ts.isStringLiteral(code)) return [code.text];
  for (let node: ts.Node = code; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isCaseClause(node)) continue;
    if (node.parent.parent.expression.getText() !== code.getText()) continue;
    const { clauses } = node.parent;
    let first = clauses.indexOf(node);
    while (first > 0 && clauses[first - 1]?.statements.length === 0) first--;
    return clauses
      .slice(first, clauses.indexOf(node) + 1)
      .flatMap((clause) =>
        ts.isCaseClause(clause) && ts.isStringLiteral(clause.expression)
          ? [clause.expression.text]
          : [],
      );
  }
  return [];
}

/** Property names of an object that is written here or held by a `const` of the same function. */
function namesIn(value: ts.Expression): readonly string[] | null {
  if (ts.isObjectLiteralExpression(value)) {
    return value.properties.every((property) => property.name !== undefined)
      ? value.properties.map((property) => property.name?.getText() ?? '')
      : null;
  }
  if (!ts.isIdentifier(value)) return null;
  for (let scope: ts.Node | undefined = value.parent; scope !== undefined; scope = scope.parent) {
    if (!ts.isBlock(scope)) continue;
    const constants = scope.statements.filter(ts.isVariableStatement);
    const holder = constants
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .find(({ name }) => name.getText() === value.text);
    if (holder?.initializer !== undefined) return namesIn(holder.initializer);
  }
  return null;
}
