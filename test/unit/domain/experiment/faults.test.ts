import { describe, expect, it } from '@jest/globals';
import { renderFaults } from '../../../../src/domain/experiment/fault.js';
import { parseExperiment } from '../../../../src/domain/experiment/parse-experiment.js';
import { edited, RAILS_FILE } from '../../../fixtures/experiment-text.js';

/** `line:column message`, in the order in which they are reported. */
function faultsOf(text: string, env: Record<string, string> = {}): readonly string[] {
  const result = parseExperiment(text, { env });
  if (result.ok) return [];
  return result.faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

function hintsOf(text: string): readonly string[] {
  const result = parseExperiment(text, { env: {} });
  return result.ok ? [] : result.faults.map((fault) => fault.hint);
}

const SUPPORTED = '(supported: claude, codex, opencode, command, oracle, nop)';

/** One mistake each: what is replaced, by what, and the one fault it makes. */
const MISTAKES: readonly (readonly [string, string, string, string])[] = [
  ['a misspelt key', 'conditions:', 'conditon:', '6:1 unknown keys in experiment.yml: conditon'],
  ['a misspelt section', 'apps:', 'app:', '9:1 unknown keys in experiment.yml: app'],
  [
    'a misspelt key of an app',
    'branch_prefix',
    'branch_prefx',
    '13:5 unknown keys in apps.todo: branch_prefx',
  ],
  [
    'a misspelt key of a task',
    '    test_file: test/models/list',
    '    testfile: test/models/list',
    '21:5 unknown keys in task fix-sort: testfile',
  ],
  [
    'a misspelt key of the trial',
    'timeout_seconds',
    'timeout',
    '8:3 unknown keys in trial: timeout',
  ],
  ['a misspelt key of an agent', 'model:', 'modle:', '4:12 unknown keys in agents.claude: modle'],
  ['no name', 'name: Rails prompts\n', '', '1:1 experiment.yml needs a name'],
  ['an empty name', 'Rails prompts', '', '1:1 experiment.yml needs a name'],
  [
    'a name of two lines',
    'Rails prompts',
    '"a\\nb"',
    '1:7 name must be printable text of at most 200 characters, not "a·b"',
  ],
  ['no conditions', '[base, short]', '', '6:1 conditions must not be empty'],
  ['an empty list of conditions', '[base, short]', '[]', '6:13 conditions must not be empty'],
  ['a condition twice', '[base, short]', '[base, base]', '6:13 duplicate conditions: base'],
  [
    'a condition that is no name',
    '[base, short]',
    '[base, a/b]',
    '6:20 conditions must be a plain name, not a/b',
  ],
  ['no agents', '  claude: {model: sonnet}\n  codex:\n', '', '3:1 agents must not be empty'],
  ['an unknown agent', 'codex:', 'gpt:', `5:3 unknown agents: gpt ${SUPPORTED}`],
  [
    'an unknown kind',
    'codex:',
    'mine: {kind: cluade}',
    '5:16 agents.mine: kind must be one of claude, codex, opencode, command, oracle, nop, not cluade',
  ],
  ['a command without a program', 'codex:', 'mine: {kind: command}', '5:3 agents.mine needs argv'],
  [
    'a program for another kind',
    'codex:',
    'codex: {argv: [x]}',
    '5:17 agents.codex: argv is for kind command only, this one is codex',
  ],
  [
    'a list of agents',
    '\n  claude: {model: sonnet}\n  codex:\n',
    ' [claude, codex]\n',
    '3:9 agents must be a map, not a list',
  ],
  [
    'an agent that is a text',
    '{model: sonnet}',
    'sonnet',
    '4:11 agents.claude must be a map, not sonnet',
  ],
  [
    'an unknown database',
    'sqlite3',
    'mysql',
    '12:15 apps.todo: database must be one of sqlite3, postgresql, not mysql',
  ],
  [
    'no database',
    '    database: sqlite3\n',
    '',
    '10:3 apps.todo: database must be one of sqlite3, postgresql',
  ],
  ['no ruby', '    ruby: 3.0\n', '', '10:3 apps.todo needs ruby'],
  ['no branch prefix', '    branch_prefix: trial-src\n', '', '10:3 apps.todo needs branch_prefix'],
  [
    'a branch prefix that is an option',
    'trial-src',
    '--upload-pack',
    '13:20 apps.todo: branch_prefix must be the first part of a branch name, not --upload-pack',
  ],
  [
    'another toolchain without a test command',
    'ruby: 3.0',
    'toolchain: node',
    '10:3 apps.todo needs test_command',
  ],
  [
    'an unknown toolchain',
    'ruby: 3.0',
    'toolchain: nod',
    '11:16 apps.todo: toolchain must be one of ruby, node, python, none, not nod',
  ],
  [
    'an app of the wrong type',
    '\n    ruby: 3.0\n    database: sqlite3\n    branch_prefix: trial-src',
    ' 7',
    '10:9 apps.todo must be a map, not 7',
  ],
  [
    'an app without anything',
    '\n    ruby: 3.0\n    database: sqlite3\n    branch_prefix: trial-src',
    '',
    '10:3 apps.todo must be a map',
  ],
  [
    'an app key that is a path',
    '  todo:',
    '  ../todo:',
    '10:3 apps.../todo: the key must be a plain name',
  ],
  [
    'a pattern that does not compile',
    'ruby: 3.0',
    'ruby: 3.0\n    suite_ran_pattern: "(oops"',
    '12:24 apps.todo: suite_ran_pattern does not compile: Unterminated group',
  ],
  [
    'a pattern that only Ruby has',
    'ruby: 3.0',
    "ruby: 3.0\n    suite_ran_pattern: '(?>a)b'",
    '12:24 apps.todo: suite_ran_pattern has (?>, which JavaScript does not',
  ],
  [
    'a truth value that is none',
    'ruby: 3.0',
    'ruby: 3.0\n    publish_transcripts: y',
    '12:26 apps.todo: publish_transcripts must be true or false, not y',
  ],
  [
    'a file to remove outside the checkout',
    'ruby: 3.0',
    'ruby: 3.0\n    neutralize: [../CLAUDE.md]',
    '12:18 apps.todo: neutralize must be a relative path that stays inside its folder, not ../CLAUDE.md',
  ],
  ['a task id twice', 'id: fix-sort', 'id: fix-total', '19:9 duplicate task ids: fix-total'],
  [
    'a task id that is a path',
    'id: fix-sort',
    'id: ../../x',
    '19:9 task ../../x: id must be a plain name, not ../../x',
  ],
  [
    'a task id that is no branch name',
    'id: fix-sort',
    'id: fix.lock',
    '19:9 task fix.lock: id must be a plain name, not fix.lock',
  ],
  ['a task without an id', '  - id: fix-sort\n    app', '  - app', '19:5 task #2 needs id'],
  [
    'a task without a test',
    '    test_file: test/models/list_test.rb\n',
    '',
    '19:5 task fix-sort needs test_file',
  ],
  [
    'a task of an unknown app',
    '    app: todo\n    test_file: test/models/list',
    '    app: tood\n    test_file: test/models/list',
    '20:10 task fix-sort: unknown app tood',
  ],
  [
    'an absolute test file',
    'test/models/list_test.rb',
    '/etc/passwd',
    '21:16 task fix-sort: test_file must be a relative path that stays inside its folder, not /etc/passwd',
  ],
  [
    'a task that is a text',
    '  - id: fix-sort\n    app: todo\n    test_file: test/models/list_test.rb',
    '  - fix-sort',
    '19:5 task #2 must be a map, not fix-sort',
  ],
  ['a negative time limit', '600', '-5', '8:20 trial: timeout_seconds must be at least 1, not -5'],
  [
    'a time limit below a second',
    '600',
    '0.9',
    '8:20 trial: timeout_seconds must be at least 1, not 0.9',
  ],
  [
    'a time limit that no timer holds',
    '600',
    '9999999',
    '8:20 trial: timeout_seconds must be at most 2073600, not 9999999',
  ],
  [
    'a time limit with a unit',
    '600',
    '15 minutes',
    '8:20 trial: timeout_seconds must be a number of seconds, not 15 minutes',
  ],
  [
    'a memory that is no size',
    'timeout_seconds: 600',
    'memory: lots',
    '8:11 trial: memory must be a size, not lots',
  ],
  ['no CPUs', 'timeout_seconds: 600', 'cpus: 0', '8:9 trial: cpus must be a number above 0, not 0'],
  [
    'a trial that is a number',
    'trial:\n  timeout_seconds: 600',
    'trial: 3',
    '7:8 trial must be a map, not 3',
  ],
  [
    'an alias',
    'question: Does a short prompt do?',
    'question: *name',
    '2:11 YAML aliases are not allowed: *name',
  ],
  ['a tag', 'Rails prompts', '!!str Rails', '1:13 YAML tags are not allowed: !!str'],
  [
    'a tag of Ruby',
    'Rails prompts',
    '!ruby/object:Object {}',
    '1:27 YAML tags are not allowed: !ruby/object:Object',
  ],
  ['a date', 'id: fix-sort', 'id: 2024-01-31', '19:9 YAML dates are not allowed: 2024-01-31'],
  [
    'a time',
    'Rails prompts',
    '2024-01-31 10:00:00',
    '1:7 YAML dates are not allowed: 2024-01-31 10:00:00',
  ],
  ['a NUL that is escaped', 'Rails prompts', '"a\\0b"', '1:7 the value has a NUL character'],
  ['a NUL', 'prompts', 'pro\0mpts', '1:16 the file has a NUL character (U+0000)'],
  [
    'an escape character',
    'prompts',
    '\u001b[31m',
    '1:13 the file has the control character (U+001B)',
  ],
  ['a tab before a key', '  codex:', '\tcodex:', '5:1 a tab indents this line'],
  [
    'a key twice',
    'database: sqlite3',
    'ruby: 3.1\n    database: sqlite3',
    '12:5 duplicate key: ruby (first in line 11)',
  ],
  [
    'a prototype key',
    'trial:\n',
    '__proto__: {a: b}\ntrial:\n',
    '7:1 unknown keys in experiment.yml: __proto__',
  ],
  [
    'a key that is a list',
    'trial:\n',
    '? [a]\n: b\ntrial:\n',
    '7:3 a key in experiment.yml is not text',
  ],
  [
    'deep nesting',
    'question: Does a short prompt do?',
    `question: ${'['.repeat(60)}${']'.repeat(60)}`,
    '2:30 the file is nested too deeply',
  ],
  ['a second document', 'trial:\n', '---\ntrial:\n', '8:1 a second YAML document starts here'],
  [
    'an unclosed bracket',
    '[base, short]',
    '[base, short',
    '7:1 not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['zero repeats', 'trial:\n', 'repeats: 0\ntrial:\n', '7:10 repeats must be at least 1, not 0'],
  [
    'half a repeat',
    'trial:\n',
    'repeats: 1.5\ntrial:\n',
    '7:10 repeats must be a whole number, not 1.5',
  ],
  [
    'an unknown runtime',
    'trial:\n',
    'runtime: dokcer\ntrial:\n',
    '7:10 runtime must be one of apple, docker, podman, process, not dokcer',
  ],
  ['an impossible alpha', 'trial:\n', 'alpha: 1\ntrial:\n', '7:8 alpha must be below 1, not 1'],
  [
    'a notification that is a text',
    'trial:\n',
    'notify: {command: say done}\ntrial:\n',
    '7:19 notify: command must be a list, not say done',
  ],
  ['an unknown pin', 'trial:\n', 'pins: {cluade: 1}\ntrial:\n', '7:8 unknown keys in pins: cluade'],
  [
    'a limit of nothing',
    'trial:\n',
    'limits: {max_cost_usd: 0}\ntrial:\n',
    '7:24 limits: max_cost_usd must be above 0, not 0',
  ],
];

describe('a mistake in an experiment file', () => {
  it.each(MISTAKES)('makes one fault: %s', (_name, from, to, fault) => {
    expect(faultsOf(edited(from, to))).toEqual([fault]);
  });

  it.each([
    ['nothing', ''],
    ['a comment', '# soon\n'],
    ['an empty map', '{}\n'],
    ['a null', '~\n'],
    ['a document mark', '---\n'],
  ])('makes one fault when the file holds %s', (_name, text) => {
    expect(faultsOf(text)).toEqual(['null:null experiment.yml needs a name: the file is empty']);
  });

  it.each([
    ['- a\n- b\n', '1:1 experiment.yml must be a map, not a list'],
    ['hello\n', '1:1 experiment.yml must be a map, not hello'],
  ])('makes one fault when the file is no map: %j', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it('makes one fault in the environment, and none when the file decides', () => {
    expect(faultsOf(RAILS_FILE, { LLMX_MEMORY: 'lots' })).toEqual([
      'null:null the environment variable LLMX_MEMORY must be a size, not "lots"',
    ]);
    const decided = edited('timeout_seconds: 600', 'memory: 2g');
    expect(faultsOf(decided, { LLMX_MEMORY: 'lots' })).toEqual([]);
  });

  it('is corrected by its hint', () => {
    expect(hintsOf(edited('conditions:', 'conditon:'))).toEqual(['did you mean conditions?']);
    expect(hintsOf(edited('codex:', 'codx:'))).toEqual(['did you mean codex?']);
    expect(hintsOf(edited('sqlite3', 'sqlite'))).toEqual(['did you mean sqlite3?']);
    expect(hintsOf(edited('app: todo', 'app: tood'))).toEqual(['did you mean todo?']);
    expect(hintsOf(edited('id: fix-sort', 'id: 2024-01-31'))).toEqual([
      'put it in quotes: "2024-01-31"',
    ]);
  });
});

describe('several mistakes', () => {
  it('are all reported, in the order of the file', () => {
    const text = [
      ['sqlite3', 'mysql'],
      ['conditions:', 'conditon:'],
      ['600', '0'],
      ['id: fix-sort', 'id: fix-total'],
      ['codex:', 'gpt:'],
    ].reduce((file, [from = '', to = '']) => edited(from, to, file), RAILS_FILE);
    expect(faultsOf(text)).toEqual([
      `5:3 unknown agents: gpt ${SUPPORTED}`,
      '6:1 unknown keys in experiment.yml: conditon',
      '8:20 trial: timeout_seconds must be at least 1, not 0',
      '12:15 apps.todo: database must be one of sqlite3, postgresql, not mysql',
      '19:9 duplicate task ids: fix-total',
    ]);
  });

  it('are one fault for each section of the wrong type', () => {
    const text =
      'name: [a]\nagents: [claude]\nconditions: {a: b}\ntrial: 3\napps: x\ntasks: {a: b}\n';
    expect(faultsOf(text).map((fault) => fault.split(' ', 2).join(' '))).toEqual([
      '1:7 name',
      '2:9 agents',
      '3:13 conditions',
      '4:8 trial',
      '5:7 apps',
      '6:8 tasks',
    ]);
  });

  it('are one fault for each task that an oracle has no solution for', () => {
    expect(faultsOf(edited('codex:', 'oracle:'))).toEqual([
      '15:5 task fix-total needs solution: agent oracle applies it',
      '19:5 task fix-sort needs solution: agent oracle applies it',
    ]);
  });

  it('are told for every line that a tab indents', () => {
    const text = edited('  codex:', '\tcodex:', edited('  claude:', '\tclaude:'));
    expect(faultsOf(text)).toEqual(['4:1 a tab indents this line', '5:1 a tab indents this line']);
  });
});

describe('what a person reads', () => {
  const render = (text: string): string => {
    const result = parseExperiment(text, { env: {} });
    return result.ok ? '' : renderFaults('experiment.yml', result.faults);
  };

  it('has file, line, column, the line and a caret below the place', () => {
    expect(render(edited('conditions:', 'conditon:'))).toBe(
      [
        'experiment.yml:6:1: unknown keys in experiment.yml: conditon',
        '  6 | conditon: [base, short]',
        '    | ^^^^^^^^',
      ].join('\n'),
    );
  });

  it('has the fix with each fault when there are several', () => {
    expect(render(edited('codex:', 'codx:', edited('sqlite3', 'sqlite')))).toBe(
      [
        `experiment.yml:5:3: unknown agents: codx ${SUPPORTED}`,
        '  5 |   codx:',
        '    |   ^^^^',
        '  fix: did you mean codex?',
        'experiment.yml:12:15: apps.todo: database must be one of sqlite3, postgresql, not sqlite',
        '  12 |     database: sqlite',
        '     |               ^^^^^^',
        '  fix: did you mean sqlite3?',
      ].join('\n'),
    );
  });

  it('keeps the caret below wide characters', () => {
    expect(render('name: 名前, "a": b: c\n')).toContain(
      ['  1 | name: 名前, "a": b: c', '    |       ^'].join('\n'),
    );
    expect(render('{名前: 1, conditon: 2}')).toContain(
      ['  1 | {名前: 1, conditon: 2}', '    |  \u3000\u3000     ^^^^^^^^'].join('\n'),
    );
  });

  it('never moves the cursor of a terminal and stays short', () => {
    const rendered = render(`"\\e[31m${'x'.repeat(5_000)}": 1\n`);
    expect(rendered).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(rendered.length).toBeLessThan(1_000);
  });

  it('stops after twenty faults and counts the rest', () => {
    const keys = Array.from({ length: 500 }, (_, index) => `zz${index}: 1\n`).join('');
    expect(render(`${RAILS_FILE}${keys}`)).toMatch(/\nand 480 more$/);
  });
});
