import { describe, expect, it } from '@jest/globals';
import type { Experiment } from '../../../../src/domain/experiment/experiment.js';
import { parseExperiment } from '../../../../src/domain/experiment/parse-experiment.js';
import { edited, RAILS_FILE } from '../../../fixtures/experiment-text.js';

function parsed(text: string, env: Record<string, string> = {}): Experiment {
  const result = parseExperiment(text, { env });
  if (!result.ok) throw new Error(result.faults.map((fault) => fault.message).join('\n'));
  return result.experiment;
}

const NODE_APP = `    toolchain: node
    branch_prefix: bench
    test_command: node --test
`;
const RUBY_APP = `    ruby: 3.0
    database: sqlite3
    branch_prefix: trial-src
`;

describe('an experiment file of the gem', () => {
  it('gets every documented default', () => {
    expect(parsed(RAILS_FILE)).toEqual({
      name: 'Rails prompts',
      question: 'Does a short prompt do?',
      pins: {},
      agents: [
        { name: 'claude', kind: 'claude', model: 'sonnet', argv: null },
        { name: 'codex', kind: 'codex', model: null, argv: null },
      ],
      conditions: ['base', 'short'],
      apps: [
        {
          key: 'todo',
          toolchain: 'ruby',
          ruby: '3.0',
          bundler: 'default',
          database: 'sqlite3',
          testCommand: 'bin/rails test',
          dbPrepare: 'bin/rails db:test:prepare',
          suiteRanPattern: String.raw`\d+ runs?, \d+ assertions?`,
          suiteRanFlags: 'm',
          publishTranscripts: false,
          branchPrefix: 'trial-src',
          neutralize: [],
          setup: null,
          image: 'llmx-app-todo:latest',
        },
      ],
      tasks: [
        {
          id: 'fix-total',
          app: 'todo',
          testFile: 'test/models/order_test.rb',
          implFiles: ['app/models/order.rb'],
          solution: null,
          timeoutMs: 600_000,
        },
        {
          id: 'fix-sort',
          app: 'todo',
          testFile: 'test/models/list_test.rb',
          implFiles: [],
          solution: null,
          timeoutMs: 600_000,
        },
      ],
      trial: {
        timeoutMs: 600_000,
        memory: { text: '6g', bytes: 6 * 2 ** 30 },
        cpus: '4',
        maxCostUsd: null,
        maxTokens: null,
      },
      repeats: 1,
      runtime: null,
      defaultRuntime: null,
      order: { kind: 'rotate' },
      alpha: null,
      primary: [],
      limits: { maxCostUsd: null, maxTokens: null, maxHours: null, maxConsecutiveVoids: 5 },
      preflight: { approvalMs: 72 * 3_600_000, maxLoad: null, minFreeGb: 2 },
      notifyCommand: null,
      network: 'model-only',
    });
  });

  it('has 900 seconds when it says nothing about the trial', () => {
    const text = edited('trial:\n  timeout_seconds: 600\n', 'trial:\n');
    expect(parsed(text).trial.timeoutMs).toBe(900_000);
    expect(parsed(text).tasks[0]?.timeoutMs).toBe(900_000);
  });

  it('keeps versions and conditions as they are written', () => {
    const text = edited('[base, short]', '[on, yes, 1.10, 0x10, null-hypothesis]');
    const experiment = parsed(edited('ruby: 3.0', 'ruby: 3.10\n    bundler: 2.0', text));
    expect(experiment.conditions).toEqual(['on', 'yes', '1.10', '0x10', 'null-hypothesis']);
    expect(experiment.apps[0]).toMatchObject({ ruby: '3.10', bundler: '2.0' });
    expect(parsed(edited('timeout_seconds: 600', 'cpus: 2.0')).trial.cpus).toBe('2.0');
  });

  it('takes one value for a list of one', () => {
    const text = edited('[app/models/order.rb]', 'app/models/order.rb');
    const experiment = parsed(edited('[base, short]', 'base', text));
    expect(experiment.conditions).toEqual(['base']);
    expect(experiment.tasks[0]?.implFiles).toEqual(['app/models/order.rb']);
  });

  it.each([
    ['1_200', 1_200],
    ['"1200"', 1_200],
    ['0x4b0', 1_200],
    ['02260', 1_200],
    ['90.9', 90],
  ])('reads timeout_seconds %s as YAML 1.1 and Ruby do', (written, seconds) => {
    const text = edited('timeout_seconds: 600', `timeout_seconds: ${written}`);
    expect(parsed(text).trial.timeoutMs).toBe(seconds * 1_000);
  });

  it.each([
    ['yes', true],
    ['On', true],
    ['true', true],
    ['no', false],
    ['', false],
  ])('reads publish_transcripts: %s as a YAML 1.1 truth value', (written, value) => {
    const text = edited('ruby: 3.0', `ruby: 3.0\n    publish_transcripts: ${written}`);
    expect(parsed(text).apps[0]?.publishTranscripts).toBe(value);
  });

  it('takes anchors, comments, quotes, block text and a byte order mark', () => {
    const text = edited('question: Does a short prompt do?', 'question: |\n  One.\n  Two.');
    const experiment = parsed(
      `\ufeff# a comment\n${edited('name: Rails', 'name: &n Rails', text)}`,
    );
    expect(experiment).toMatchObject({ name: 'Rails prompts', question: 'One.\nTwo.\n' });
  });
});

describe('the additions', () => {
  it('reads all of them', () => {
    const text = `${RAILS_FILE}
repeats: 3
runtime: docker
order: random
seed: 7
alpha: 0.05
primary: [total_input_tokens, wall_seconds]
limits: {max_cost_usd: 12.5, max_tokens: 1_000_000, max_hours: 8, max_consecutive_voids: 2}
preflight: {approval_hours: 0.5, max_load: 2.5, min_free_gb: 0}
notify: {command: [./notify.sh, --loud]}
network: open
pins: {claude: 2.1.0, node: 20}
`;
    expect(parsed(text)).toMatchObject({
      repeats: 3,
      runtime: 'docker',
      order: { kind: 'random', seed: 7 },
      alpha: 0.05,
      primary: ['total_input_tokens', 'wall_seconds'],
      limits: { maxCostUsd: 12.5, maxTokens: 1_000_000, maxHours: 8, maxConsecutiveVoids: 2 },
      preflight: { approvalMs: 1_800_000, maxLoad: 2.5, minFreeGb: 0 },
      notifyCommand: ['./notify.sh', '--loud'],
      network: 'open',
      pins: { claude: '2.1.0', node: '20' },
    });
  });

  it('shuffles with seed 1 when random order has no seed', () => {
    expect(parsed(`${RAILS_FILE}order: random\n`).order).toEqual({ kind: 'random', seed: 1 });
  });

  it('gives agents their kind by key or by name, in the order of the file', () => {
    const agents = `  opus: {kind: claude, model: opus}
  nop:
  mine: {kind: command, argv: [./agent.sh, 3]}
`;
    expect(parsed(edited('  claude: {model: sonnet}\n  codex:\n', agents)).agents).toEqual([
      { name: 'opus', kind: 'claude', model: 'opus', argv: null },
      { name: 'nop', kind: 'nop', model: null, argv: null },
      { name: 'mine', kind: 'command', model: null, argv: ['./agent.sh', '3'] },
    ]);
  });

  it('needs no ruby or database for another toolchain and prepares nothing', () => {
    expect(parsed(edited(RUBY_APP, NODE_APP)).apps[0]).toMatchObject({
      toolchain: 'node',
      ruby: null,
      database: null,
      testCommand: 'node --test',
      dbPrepare: null,
      suiteRanFlags: 'm',
    });
  });

  it.each([
    ['node', '# tests 3', true],
    ['node', '# tests 0', false],
    ['node', 'Tests:       1 failed, 2 passed, 3 total', true],
    ['python', 'Ran 2 tests in 0.1s', true],
    ['python', '1 failed, 3 passed in 0.2s', true],
    ['python', 'ModuleNotFoundError: no module', false],
    ['none', '3 runs, 5 assertions, 0 failures', true],
  ])('knows that a %s suite ran from %j: %s', (toolchain, output, ran) => {
    const app = NODE_APP.replace('toolchain: node', `toolchain: ${toolchain}`);
    const [spec] = parsed(edited(RUBY_APP, app)).apps;
    const pattern = new RegExp(spec?.suiteRanPattern ?? '', spec?.suiteRanFlags);
    expect(pattern.test(`first line\n${output}\n`)).toBe(ran);
  });

  it('takes an empty db_prepare for nothing to prepare', () => {
    const text = edited('ruby: 3.0', 'ruby: 3.0\n    db_prepare: ""');
    expect(parsed(text).apps[0]?.dbPrepare).toBeNull();
  });

  it('lets a task have its own time limit and solution, with tidy paths', () => {
    const text = edited(
      'test_file: test/models/list_test.rb',
      'test_file: ./test//list_test.rb\n    timeout_seconds: 30\n    solution: solutions/sort.patch',
    );
    expect(parsed(text).tasks[1]).toMatchObject({
      testFile: 'test/list_test.rb',
      timeoutMs: 30_000,
      solution: 'solutions/sort.patch',
    });
  });
});

describe('environment variables', () => {
  it('replace defaults, never what the file says', () => {
    const env = { LLMX_MEMORY: '8192 MB', LLMX_CPUS: '2', LLMX_MIN_FREE_GB: '0.5' };
    expect(parsed(RAILS_FILE, env)).toMatchObject({
      trial: { memory: { text: '8192 MB', bytes: 8 * 2 ** 30 }, cpus: '2' },
      preflight: { minFreeGb: 0.5 },
    });
    const written = edited('timeout_seconds: 600', 'memory: 1g\n  cpus: 1');
    expect(parsed(`${written}preflight: {min_free_gb: 3}\n`, env)).toMatchObject({
      trial: { memory: { text: '1g' }, cpus: '1' },
      preflight: { minFreeGb: 3 },
    });
  });
});
