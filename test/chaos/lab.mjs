// The experiment that is disturbed: real git app, real trial program, an agent that keeps a ledger.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from './engine.mjs';
import { containedAgent, openLedger } from './ledger.mjs';
import { labProcesses } from './processes.mjs';
import { trialHashes } from './verdict.mjs';

const CLI = fileURLToPath(new URL('../../bin/llmx-client.js', import.meta.url));

/** What the agent is told to do; only the first repairs the app. */
const CONDITIONS = ['fix', 'leave'];

/**
 * The agent: one line when it starts and one when it ends, in between it sleeps as long as its prompt says,
 * and on for as long as a file `hold` is there.
 */
const AGENT = `#!/bin/sh
here=$(dirname "$0")
echo "S $LLMX_TRIAL $(date +%s%N)" >> "$here/ledger.txt"
read -r wanted seconds
[ "$wanted" = fix ] && echo right > answer.txt
sleep "$seconds"
while [ -e "$here/hold" ]; do sleep 0.05; done
echo "E $LLMX_TRIAL $(date +%s%N)" >> "$here/ledger.txt"
`;

const TEST = `import { readFileSync } from 'node:fs';
import test from 'node:test';
import assert from 'node:assert/strict';
test('the answer is right', () => {
  assert.equal(readFileSync('answer.txt', 'utf8'), 'right\\n');
});
`;

/**
 * @param {{tasks: string[], repeats: number, secondsOf: (task: string, condition: string) => number,
 *   env?: object, runtime?: 'process' | 'podman' | 'docker'}} options `env` is that of every command, and so
 *   of the worker
 */
export async function makeLab(options) {
  const lab = makeFolders(options);
  if (options.runtime === undefined || options.runtime === 'process') {
    writeFileSync(join(lab.dir, 'agent.sh'), AGENT, { mode: 0o755 });
    return lab;
  }
  lab.engine = await openEngine(options.runtime, lab.stateDir);
  const ledger = await openLedger(lab);
  lab.closeLedger = ledger.close;
  writeFileSync(join(lab.dir, 'agent.sh'), containedAgent(ledger.port), { mode: 0o755 });
  Object.assign(lab.env, {
    LLMX_BASE_IMAGE: BASE_IMAGE,
    LLMX_MODEL_HOSTS: `127.0.0.1:${ledger.port}`,
  });
  for (const what of [
    ['base', '--from-host', '--agents', 'none'],
    ['app', 'answer'],
  ]) {
    const { exit, stderr } = await lab.cli('build', ...what);
    if (exit !== 0) throw new Error(`build ${what.join(' ')}: ${stderr}`);
  }
  return lab;
}

/** Of this machine's own programs; the tests share it. */
const BASE_IMAGE = 'llmx-test-base:latest';

function makeFolders({ tasks, repeats, secondsOf, env: given = {}, runtime = 'process' }) {
  const root = mkdtempSync(join(tmpdir(), 'llmx-chaos-'));
  const dir = join(root, 'experiment');
  const stateDir = join(root, 'state');
  const crashFile = join(root, 'crash');
  const env = { LLMX_TEST_CRASH_FILE: crashFile, ...given };
  const image = imageOf(tasks);
  mkdirSync(dir);
  makeApp(join(dir, 'app'), tasks);
  writeFileSync(join(dir, '.apps.local'), 'LLMX_APP_ANSWER=./app\n');
  writeFileSync(join(dir, 'ledger.txt'), '');
  writeFileSync(join(dir, 'experiment.yml'), experimentText({ tasks, repeats, runtime, image }));
  for (const task of tasks) {
    for (const condition of CONDITIONS) {
      const folder = join(dir, 'prompts', 'answer', task);
      mkdirSync(folder, { recursive: true });
      const seconds = secondsOf(task, condition).toFixed(2);
      writeFileSync(join(folder, `${condition}.txt`), `${condition} ${seconds}\n`);
    }
  }
  return {
    root,
    dir,
    runtime,
    /** Null on the host itself. */
    engine: null,
    image,
    env,
    ledgerFile: join(dir, 'ledger.txt'),
    /** Names the next points at which a process of this lab dies. */
    crashFile,
    /** Agents go on for as long as it is there. */
    holdFile: join(dir, 'hold'),
    stateDir,
    cells: repeats * tasks.length * CONDITIONS.length,
    repeats,
    arms: tasks.flatMap((task) => CONDITIONS.map((condition) => ({ task, condition }))),
    /** Those of the state folder, and those in its trials' containers. */
    processes() {
      return labProcesses(stateDir, this.engine === null ? [] : trialHashes(this));
    },
    /** @returns {Promise<{exit: number | null, stdout: string, stderr: string}>} */
    cli: (...argv) => runCli(argv, { cwd: dir, stateDir, env }),
    log: (line) => appendFileSync(join(root, 'chaos.log'), `${new Date().toISOString()} ${line}\n`),
    /** A grid that runs no more needs no ledger. */
    closeLedger: () => undefined,
    remove() {
      this.closeLedger();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The same for the same tasks: a disturbed grid finds the image of the undisturbed one. Gone with this run. */
function imageOf(tasks) {
  const digest = createHash('sha256').update(tasks.join()).digest('hex');
  return `llmx-chaos-${process.pid}-${digest.slice(0, 8)}:latest`;
}

function experimentText({ tasks, repeats, runtime, image }) {
  return `name: chaos
question: is every trial counted once, whatever dies
runtime: ${runtime}
repeats: ${repeats}
agents:
  mine: { kind: command, argv: [./agent.sh] }
conditions: [${CONDITIONS.join(', ')}]
limits: { max_consecutive_voids: 1000 }
preflight: { min_free_gb: 0.1 }
trial: { timeout_seconds: 60, memory: 1g, cpus: 1 }
apps:
  answer:
    toolchain: node
    test_command: node --test --test-reporter=tap
    suite_ran_pattern: '^# tests [1-9]'
    branch_prefix: bench
${runtime === 'process' ? '' : `    image: ${image}\n`}tasks:
${tasks.map((id) => `  - { id: ${id}, app: answer, test_file: answer.test.mjs, impl_files: [answer.txt] }`).join('\n')}
`;
}

function makeApp(folder, tasks) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'answer.txt'), 'wrong\n');
  writeFileSync(join(folder, 'answer.test.mjs'), TEST);
  const identity = { NAME: 'chaos', EMAIL: 'chaos@example.invalid', DATE: '2030-01-01T00:00:00Z' };
  const env = { ...process.env };
  for (const [key, value] of Object.entries(identity)) {
    env[`GIT_AUTHOR_${key}`] = value;
    env[`GIT_COMMITTER_${key}`] = value;
  }
  const git = (...argv) => execFileSync('git', argv, { cwd: folder, env, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch', 'bench/base');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'app');
  for (const task of tasks) git('branch', `bench/${task}`);
}

function runCli(argv, { cwd, stateDir, env }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...argv], {
      cwd,
      env: { ...withoutSettings(process.env), LLMX_STATE_DIR: stateDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    // A server that hangs on purpose makes the command hang: the next one looks again.
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    child.on('close', (exit) => {
      clearTimeout(timer);
      resolve({ exit, stdout, stderr });
    });
  });
}

function withoutSettings(env) {
  const kept = ['LLMX_TEMPORAL_BIN', 'LLMX_CACHE_DIR'];
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(LLMX|TEMPORAL)_/.test(name) || kept.includes(name)),
  );
}
