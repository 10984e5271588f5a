import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundleTrial } from '../../scripts/bundle-trial.mjs';
import { writeExperimentEntry } from '../../src/storage/experiment-entry.js';
import { freezePlan } from '../../src/storage/frozen-plan.js';
import { stateLayout } from '../../src/storage/state-layout.js';
import type { TrialInput } from '../../src/trial/service-input.js';
import { createTrialService, type TrialService } from '../../src/trial/trial-service.js';

const KEY = 'demo-12345678';
const EXPERIMENT = `
name: demo
runtime: process
question: does it work
agents:
  oracle: {}
  nop: {}
  mine: { kind: command, argv: [./agent.sh] }
conditions: [plain, bare]
apps:
  calc:
    toolchain: none
    branch_prefix: demo
    test_command: node
    suite_ran_pattern: 'checked'
tasks:
  - { id: add, app: calc, test_file: check.js, impl_files: [add.js], solution: solutions/add.patch }
`;
const BROKEN = 'module.exports = (a, b) => a - b;\n';
const FIXED = 'module.exports = (a, b) => a + b;\n';
const CHECK = `const add = require('./add.js');
console.log('checked');
if (add(2, 3) !== 5) process.exit(1);
`;

let bundles: string;
let root: string;
let trials: TrialService;
let frozenId: string;
let count = 0;

beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'llmx-bundles-'));
  await bundleTrial(bundles);
});
afterAll(async () => {
  await rm(bundles, { recursive: true, force: true });
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'llmx-service-'));
  const patch = await makeApp(join(root, 'app'));
  await writeTree(join(root, 'experiment'), {
    'experiment.yml': EXPERIMENT,
    'prompts/calc/add/plain.txt': 'fix add\n',
    'solutions/add.patch': patch,
    'agent.sh': `#!/bin/sh\ncat > "$HOME/prompt" && grep -q 'fix add' "$HOME/prompt" && printf '%s' "${FIXED}" > add.js\necho done\n`,
  });
  await chmod(join(root, 'experiment', 'agent.sh'), 0o755);
  const state = stateLayout(join(root, 'state'));
  const folder = join(root, 'experiment');
  await writeExperimentEntry(state, KEY, {
    schemaVersion: 1,
    folder,
    checkouts: { calc: join(root, 'app') },
  });
  const env = { LLMX_APP_CALC: join(root, 'app') };
  ({ frozenId } = await freezePlan({ state, key: KEY, folder, env }));
  trials = createTrialService({
    state,
    programFile: join(bundles, 'program.mjs'),
    supervisorFile: join(bundles, 'supervisor.cjs'),
    engineVersion: '9.9.9',
    hostLock: `test-${root}`,
  });
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function writeTree(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** An app with one bug on one branch. @returns the patch that removes it */
async function makeApp(dir: string): Promise<string> {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    });
  await writeTree(dir, { 'add.js': FIXED, 'check.js': CHECK });
  git('init', '-q', '-b', 'demo/base');
  git('add', '.');
  git('commit', '-q', '-m', 'app');
  git('checkout', '-q', '-b', 'demo/add');
  await writeFile(join(dir, 'add.js'), BROKEN);
  git('commit', '-q', '-a', '-m', 'plant the bug');
  return git('diff', 'demo/add', 'demo/base');
}

function input(agent: string, condition = 'plain'): TrialInput {
  count += 1;
  return {
    plan: { experimentKey: KEY, frozenId },
    cell: { task: 'add', agent, condition, repeat: 1, index: 1, done: false },
    stamp: '20260101T000000Z',
    requestId: `run/${count}`,
    redoDone: false,
    workflowId: 'llmx-grid-demo',
    runId: 'run',
  };
}

async function attemptFile(agent: string, name: string): Promise<string> {
  const dir = join(root, 'experiment', 'results-raw', 'add', agent, 'plain', '20260101T000000Z');
  return readFile(join(dir, name), 'utf8');
}

describe('a planned cell', () => {
  it('passes with the oracle', async () => {
    const result = await trials.run(input('oracle'));
    expect(result).toEqual({
      status: 'valid',
      passed: true,
      code: null,
      error: null,
      hint: null,
      costUsd: null,
      stamp: '20260101T000000Z',
    });
    const meta = JSON.parse(await attemptFile('oracle', 'meta.json')) as object;
    expect(meta).toMatchObject({
      task: 'add',
      app: 'calc',
      agent_kind: 'oracle',
      passed: true,
      changed_files: ['add.js'],
      touched_impl_file: true,
      branches_visible_to_agent: ['trial/add'],
      clean_tree_before: true,
      engine_version: '9.9.9',
      workflow_id: 'llmx-grid-demo',
      frozen_id: frozenId,
      runtime: 'process',
    });
    expect(await attemptFile('oracle', 'agent.diff')).toContain(
      '+module.exports = (a, b) => a + b',
    );
    expect(await attemptFile('oracle', 'test_before.txt')).toContain('checked');
  });

  it('fails with nop, which is a result', async () => {
    expect(await trials.run(input('nop'))).toMatchObject({ status: 'valid', passed: false });
  });

  it('passes with a program of the experiment that reads the prompt', async () => {
    expect(await trials.run(input('mine'))).toMatchObject({ status: 'valid', passed: true });
    expect(await attemptFile('mine', 'transcript.jsonl')).toBe('done\n');
  });

  it('is not started without a prompt, whatever the agent', async () => {
    for (const agent of ['nop', 'oracle', 'mine']) {
      expect(await trials.run(input(agent, 'bare'))).toMatchObject({
        status: 'not-started',
        code: 'prompt_missing',
        error: 'there is no prompt file prompts/calc/add/bare.txt',
      });
    }
    expect(await readdir(join(root, 'experiment'))).not.toContain('results-raw');
  });

  it('is void when its program can’t be run, and stays to be done', async () => {
    await chmod(join(root, 'experiment', 'agent.sh'), 0o644);
    const result = await trials.run(input('mine'));
    expect(result).toMatchObject({ status: 'void', passed: null, code: 'agent_not_runnable' });
    expect(result.error).toMatch(/^the agent program could not be started/);
    await chmod(join(root, 'experiment', 'agent.sh'), 0o755);
    expect(await trials.run(input('mine'))).toMatchObject({ status: 'valid', passed: true });
  });

  it('is stopped by name', async () => {
    const slow = join(root, 'experiment', 'agent.sh');
    await writeFile(slow, '#!/bin/sh\nexec sleep 300\n');
    const request = input('mine');
    const phases: string[] = [];
    const stopped = new Promise<void>((done) => {
      void trials
        .run(request, { onProgress: (phase) => phases.push(phase) === 1 && done() })
        .catch(() => null);
    });
    await stopped;
    await trials.stop(request);
    expect(await trials.run(request)).toMatchObject({ status: 'void', code: 'cancelled' });
  });
});
