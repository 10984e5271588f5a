import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { buildProgram } from '../../../src/client/program.js';
import { NO_FILTERS } from '../../../src/domain/plan/cell.js';
import { ERROR_TABLE } from '../../../src/errors/table.js';
import { planProblemError } from '../../../src/storage/plan-problem.js';
import { capturedCli } from '../../fixtures/captured-cli.js';
import { commandLinesIn, commandProblem } from '../../fixtures/command-line-check.js';
import { experimentOf } from '../../fixtures/plan-experiment.js';
import { sourceFiles } from '../../fixtures/source-files.js';

const program = buildProgram(capturedCli().cli);

/** Commands of a text that the CLI would not take, with the reason. */
const wrongIn = (text: string): readonly string[] =>
  commandLinesIn(text).flatMap((words) => {
    const problem = commandProblem(program, words);
    return problem === null ? [] : [`${words.join(' ')}: ${problem}`];
  });

/** Hints of these are put together from parts; real ones are looked at below. */
const PUT_TOGETHER = ['src/storage/plan-problem.ts'];

const SOURCES = sourceFiles('src', '.ts').filter(({ path }) => !PUT_TOGETHER.includes(path));
const PAGES = [
  ...sourceFiles('README.md', '.md'),
  ...sourceFiles('docs', '.md'),
  ...sourceFiles('examples', '.md', '.yml'),
].filter(({ path }) => !path.includes('app-source'));

const naming = (files: readonly { path: string; text: string }[]) =>
  files
    .filter(({ text }) => commandLinesIn(text).length > 0)
    .map(({ path, text }) => [path, text] as const);

describe('the check of command lines', () => {
  it.each([
    ['llmx-client start-grid --wait', []],
    ['next: llmx-client approve ${grid.workflowId ?? ""} --reason "…"', []],
    ['llmx-client server start        start it now', []],
    ['read {logFile}, then: llmx-client worker start', []],
    ['llmx-client nosuch', ['nosuch: llmx-client has no command nosuch']],
    ['llmx-client server', ['server: server has no command ']],
    ['llmx-client server nosuch', ['server nosuch: server has no command nosuch']],
    ['llmx-client plan --nosuch', ['plan --nosuch: plan has no option --nosuch']],
    ['llmx-client plan --task', ['plan --task: --task needs a value']],
    ['llmx-client approve --json', ['approve --json: workflow is missing']],
    [
      'llmx-client start-grid --agent with the others',
      ['start-grid --agent with the others: too many words: the others'],
    ],
  ])('judges: %s', (text, problems) => {
    expect(wrongIn(text)).toEqual(problems);
  });
});

describe('a command that a text tells to type', () => {
  it.each(allOf(program).map((command) => [command.name(), command] as const))(
    'exists with its flags: help of %s',
    (_name, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      const [examples = ''] = help.split('\nUsage: ');
      expect(commandLinesIn(examples)).not.toEqual([]);
      expect(wrongIn(examples)).toEqual([]);
    },
  );

  it.each(Object.entries(ERROR_TABLE).map(([code, { message, hint }]) => [code, message, hint]))(
    'exists with its flags: error %s',
    (_code, message, hint) => {
      expect(wrongIn(`${message}\n${hint}`)).toEqual([]);
    },
  );

  it.each(naming(SOURCES))('exists with its flags: %s', (_path, text) => {
    expect(wrongIn(text)).toEqual([]);
  });

  it.each(naming(PAGES))('exists with its flags: %s', (_path, text) => {
    expect(wrongIn(text)).toEqual([]);
  });

  it('exists with its flags when filters leave no plan', () => {
    const { tasks } = experimentOf({ tasks: ['shop:total'] });
    const hints = [
      planProblemError(
        { kind: 'unknown-agents', unknown: ['orcale'], declared: ['oracle'] },
        tasks,
      ),
      planProblemError({ kind: 'unknown-agents', unknown: ['x'], declared: ['oracle'] }, tasks),
      ...[{ app: 'shpo' }, { task: 'totla' }, { task: 'nosuch' }].map((filter) =>
        planProblemError({ kind: 'no-tasks-match', filters: { ...NO_FILTERS, ...filter } }, tasks),
      ),
    ].map(({ hint }) => hint ?? '');
    expect(hints.flatMap(wrongIn)).toEqual([]);
    expect(hints).toEqual([
      'did you mean oracle? llmx-client plan --agent oracle',
      'llmx-client plan',
      'did you mean shop? llmx-client plan --app shop',
      'did you mean total? llmx-client plan --task total',
      'llmx-client plan',
    ]);
  });
});

function allOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
