// Everything that CI runs: `node scripts/test.mjs [part…]`, without a part all of them.
// Every check and every test is one item of the closing line `N passed, N failed`.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { agentClis } from './agent-clis.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules', name);

const CHECKS = {
  types: [bin('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.json'],
  lint: [bin('eslint/bin/eslint.js'), '.'],
  format: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  unused: [bin('knip/bin/knip.js'), '--no-config-hints'],
  'error docs': [join(root, 'scripts', 'error-docs.mjs'), '--check'],
};
/** Parallel first; what starts servers and measures time runs alone. */
const PARALLEL = ['unit', 'contract', 'workflows', 'replay', 'cli'];
const ALONE = ['e2e'];
const CHAOS_TRIALS = 8;
/** Most of the time is waiting for time-outs, so two run side by side. */
const CHAOS_AT_A_TIME = 2;
const CHAOS_RUNS = [
  ['--steps', '--part', '1/2'],
  ['--steps', '--part', '2/2'],
  ...[1, 2, 3, 4, 5].map((seed) => ['--trials', `${CHAOS_TRIALS}`, '--seed', `${seed}`]),
  // Without podman these fail, and say what to install.
  ['--runtime', 'podman', '--steps'],
  ['--runtime', 'podman', '--trials', `${CHAOS_TRIALS}`, '--seed', '1'],
];
/** Test of the test: must find that a trial ran twice. */
const CHAOS_BROKEN = [
  '--steps',
  '--only',
  'a worker is killed while a trial runs',
  '--break-claim',
];
const RAN_TWICE = /counted results|the agent started|agents were started/;
const NEEDS_BUILD = ['check', 'contract', 'workflows', 'cli', ...ALONE, 'chaos'];

const PARTS = ['check', ...PARALLEL, ...ALONE, 'chaos'];
/** Settings of the person who runs the tests that the tests may see; the rest would change results. */
const KEPT = ['LLMX_TEMPORAL_BIN', 'LLMX_TEST_SERVER_BIN', 'LLMX_CACHE_DIR', 'LLMX_DEBUG'];

const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
/** Parts that this machine can't run, each with its reason. */
const notRun = [];
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(LLMX|TEMPORAL)_/.test(name) || KEPT.includes(name),
  ),
);

try {
  await main(process.argv.slice(2));
} catch (error) {
  record('test run', String(error instanceof Error ? error.message : error));
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
for (const line of notRun) console.log(`not run: ${line}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function main(asked) {
  const unknown = asked.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')} (${PARTS.join(', ')})`);
  const parts = asked.length > 0 ? asked : PARTS;
  const has = (names) => names.some((name) => parts.includes(name));

  if (has(NEEDS_BUILD) && !(await ensureBuilt())) return;
  if (has(['check'])) await runChecks();
  if (has(['workflows'])) {
    await provide('LLMX_TEST_SERVER_BIN', 'time-skipping test server', findTestServer);
  }
  if (has(['workflows', 'contract', 'cli', ...ALONE, 'chaos'])) {
    await provide('LLMX_TEMPORAL_BIN', 'Temporal program', findTemporal);
  }
  if (has(ALONE)) findAgents();
  const parallel = PARALLEL.filter((part) => parts.includes(part));
  if (parallel.length > 0) await runJest(parallel, []);
  for (const part of ALONE.filter((name) => parts.includes(name))) {
    await runJest([part], ['--runInBand']);
  }
  if (parts.includes('chaos')) await runChaos();
}

async function runChaos() {
  const waiting = [...CHAOS_RUNS, CHAOS_BROKEN];
  const lane = async () => {
    for (let flags = waiting.shift(); flags !== undefined; flags = waiting.shift()) {
      const items = await chaosRun(flags);
      if (flags === CHAOS_BROKEN) recordBrokenClaim(items);
      else recordChaos(items, flags);
    }
  };
  await Promise.all(Array.from({ length: CHAOS_AT_A_TIME }, lane));
}

/** @returns its items as `{name, faults}`, or null when it did not come to its end */
async function chaosRun(flags) {
  const report = join(
    tmpdir(),
    `llmx-chaos-${process.pid}-${flags.join('-').replace(/\W+/g, '-')}`,
  );
  const main = join(root, 'test', 'chaos', 'main.mjs');
  const { stdout } = await run([main, ...flags, '--report', report], true);
  heading(`chaos: ${flags.join(' ')}`);
  process.stdout.write(stdout);
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return null;
  } finally {
    rmSync(report, { force: true });
  }
}

function recordChaos(items, flags) {
  if (items === null) record(`chaos: ${flags.join(' ')}`, 'left no report');
  for (const { name, faults } of items ?? []) {
    record(`chaos: ${name}`, faults.length === 0 ? null : faults[0]);
  }
}

function recordBrokenClaim(items) {
  const faults = (items ?? []).flatMap((item) => item.faults);
  const isFound = faults.some((fault) => RAN_TWICE.test(fault));
  record('chaos: broken claims are found', isFound ? null : 'no trial ran twice, as it should');
}

async function runChecks() {
  for (const [name, argv] of Object.entries(CHECKS)) {
    heading(`check: ${name}`);
    record(`check: ${name}`, (await run(argv)).status === 0 ? null : 'see above');
  }
}

/** Builds when dist is missing or anything it is made from is newer. */
async function ensureBuilt() {
  const stamp = join(root, 'dist', 'workflow-bundle.js');
  const inputs = [join(root, 'src'), join(root, 'scripts'), join(root, 'tsconfig.build.json')];
  if (existsSync(stamp) && newest(inputs) <= statSync(stamp).mtimeMs) return true;
  heading('build');
  const { status } = await run([join(root, 'scripts', 'build.mjs')]);
  record('build', status === 0 ? null : 'see above');
  return status === 0;
}

function newest(paths) {
  const times = paths.map((path) => {
    const stat = statSync(path);
    if (!stat.isDirectory()) return stat.mtimeMs;
    return Math.max(stat.mtimeMs, newest(readdirSync(path).map((name) => join(path, name))));
  });
  return Math.max(0, ...times);
}

/** Sets a variable for the tests, unless the person who runs them already has. */
async function provide(variable, what, find) {
  if (env[variable]) return;
  heading(what);
  try {
    env[variable] = await find();
    console.log(env[variable]);
  } catch (error) {
    record(what, error instanceof Error ? error.message : String(error));
  }
}

/** The tests of a CLI that can't be had are not registered, so nothing else would say so. */
function findAgents() {
  heading('agent CLIs');
  for (const { name, version, reason } of agentClis(undefined, env, console.log)) {
    console.log(`${name} ${version}`);
    if (reason !== undefined) notRun.push(`${name}: ${reason}`);
  }
}

async function findTestServer() {
  const { status, stdout } = await run([join(root, 'scripts', 'ensure-test-server.mjs')], true);
  const path = stdout.trim().split('\n').at(-1) ?? '';
  if (status !== 0 || path === '') throw new Error('scripts/ensure-test-server.mjs found none');
  return path;
}

async function findTemporal() {
  const module = pathToFileURL(join(root, 'dist', 'temporal', 'find-program.js'));
  const { findProgram } = await import(module.href);
  return await findProgram({ env, note: (text) => console.log(text) });
}

async function runJest(projects, flags) {
  heading(`tests: ${projects.join(', ')}`);
  const report = join(tmpdir(), `llmx-jest-${process.pid}.json`);
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const { status } = await run([
    ...jest,
    bin('jest/bin/jest.js'),
    ...flags,
    '--json',
    `--outputFile=${report}`,
    '--selectProjects',
    ...projects,
  ]);
  try {
    count(JSON.parse(readFileSync(report, 'utf8')), status);
  } catch (error) {
    record(`tests: ${projects.join(', ')}`, `jest left no report (${error.message})`);
  } finally {
    rmSync(report, { force: true });
  }
}

/** A file that could not be loaded has no tests to count: it is one failure. */
function count(report, status) {
  const before = total.failed;
  total.passed += report.numPassedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults) {
    const name = relative(root, file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    for (const test of failed) record(`${name}: ${test.fullName}`, 'see above');
    if (file.status === 'failed' && failed.length === 0) record(name, 'could not be run');
  }
  if (status !== 0 && total.failed === before) record('jest', `ended with ${status}`);
}

/** Counts one item; `problem` is null when it passed. */
function record(name, problem) {
  if (problem === null) {
    total.passed += 1;
    return;
  }
  total.failed += 1;
  failures.push(`${name} (${problem})`);
}

function heading(text) {
  console.log(`\n== ${text}`);
}

function run(argv, capture = false) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, {
      cwd: root,
      env,
      stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
    });
    let stdout = '';
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status: status ?? signal, stdout }));
  });
}
