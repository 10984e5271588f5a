import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { join, sep } from 'node:path';
import { parseExperiment } from '../../../../src/domain/experiment/parse-experiment.js';
import { renderFaults } from '../../../../src/domain/experiment/fault.js';
import { translateRubyPattern } from '../../../../src/domain/experiment/ruby-pattern.js';
import { edited, RAILS_FILE } from '../../../fixtures/experiment-text.js';

const NASTY = [
  '\t',
  '\0',
  ': ',
  '- ',
  '[',
  ']',
  '{',
  '}',
  '&a ',
  '*a ',
  '!t ',
  '"',
  "'",
  '|\n',
  '? ',
];
const NASTY_WORDS = [
  '---\n',
  '%YAML 9\n',
  '<<: ',
  '__proto__',
  '~',
  '\r',
  '\u2028',
  '\ud800',
  '2024-01-01',
];

/** The valid file after a few cuts and insertions at any place. */
const mutated = fc
  .array(
    fc.record({
      at: fc.nat(RAILS_FILE.length),
      cut: fc.nat(30),
      insert: fc.oneof(
        fc.constantFrom(...NASTY, ...NASTY_WORDS),
        fc.string({ unit: 'grapheme', maxLength: 8 }),
      ),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((edits) =>
    edits.reduce(
      (text, { at, cut, insert }) => text.slice(0, at) + insert + text.slice(at + cut),
      RAILS_FILE,
    ),
  );

/** Faults that a person can find: inside the text, with words and a fix. */
function expectSound(text: string): void {
  const result = parseExperiment(text, { env: {} });
  if (result.ok) return;
  const lines = text.split('\n').length;
  expect(result.faults.length).toBeGreaterThan(0);
  for (const { message, hint, line, column, frame } of result.faults) {
    expect(message.length * hint.length).toBeGreaterThan(0);
    if (line === null) continue;
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(frame).toMatch(/\^/);
  }
  expect(renderFaults('experiment.yml', result.faults)).toContain('experiment.yml');
}

describe('parsing', () => {
  it('answers any text with an experiment or with faults, and never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), expectSound));
    fc.assert(fc.property(fc.json(), expectSound));
  });

  it('answers a valid file with a few wrong edits the same way', () => {
    fc.assert(fc.property(mutated, expectSound), { numRuns: 500 });
  });

  it('gives the same answer for the same text', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        expect(parseExperiment(text, { env: {} })).toEqual(parseExperiment(text, { env: {} }));
      }),
    );
  });

  it('gives a pattern that compiles, or refuses it', () => {
    const unit = fc.constantFrom(...'abAZzhHkg\\[](){}^$.*+?|:<>=!-,&#~0123 im');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), (ruby) => {
        const pattern = translateRubyPattern(ruby);
        if (pattern.ok)
          expect(new RegExp(pattern.source, pattern.flags).test('')).toEqual(expect.any(Boolean));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('names of an experiment', () => {
  const name = fc.oneof(
    fc.string({
      unit: fc.constantFrom('.', '/', '\\', 'a', 'b', '7', 'Z', '-', '\0', '~', ' ', '$', '%'),
      maxLength: 12,
    }),
    fc.constantFrom('..', '.', '../../x', '/etc', 'a/../../b', '..\\x', '.hidden', '', 'C:\\x'),
  );
  const quoted = (text: string): string => JSON.stringify(text);

  /** Whether the path stays below the folder, one level for each part. */
  function isInside(parts: readonly string[]): boolean {
    const path = join('/root-folder', ...parts);
    return path.split(sep).length === parts.length + 2 && path.startsWith(`/root-folder${sep}`);
  }

  it('never build a path outside their folder', () => {
    let accepted = 0;
    fc.assert(
      fc.property(name, fc.constantFrom('task', 'app', 'condition', 'agent'), (nasty, slot) => {
        const given = (kind: string): string => quoted(slot === kind ? nasty : 'a-1');
        const text = [
          ['id: fix-sort', `id: ${given('task')}`],
          ['  todo:', `  ${given('app')}:`],
          ['[base, short]', `[${given('condition')}]`],
          ['codex:', `${given('agent')}: {kind: nop}`],
        ]
          .reduce((file, [from = '', to = '']) => edited(from, to, file), RAILS_FILE)
          .replaceAll('app: todo', `app: ${given('app')}`);
        const result = parseExperiment(text, { env: {} });
        if (!result.ok) return;
        accepted++;
        const { agents, conditions, tasks } = result.experiment;
        for (const { id, app } of tasks) {
          for (const agent of agents) {
            expect(isInside([id, agent.name, ...conditions])).toBe(true);
          }
          expect(isInside([app, id])).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(10);
  });

  it('never let a file of a task leave the checkout', () => {
    fc.assert(
      fc.property(name, name, (testFile, solution) => {
        const text = edited(
          'test_file: test/models/list_test.rb',
          `test_file: ${quoted(testFile)}\n    solution: ${quoted(solution)}`,
        );
        const result = parseExperiment(text, { env: {} });
        if (!result.ok) return;
        for (const task of result.experiment.tasks) {
          for (const path of [task.testFile, task.solution ?? 'a', ...task.implFiles]) {
            expect(join('/root-folder', path)).toMatch(/^\/root-folder\/[^/]/);
            expect(path).not.toMatch(/^-|^\.git\//);
          }
        }
      }),
    );
  });
});
