// Whether a large grid stays as light as a small one: `node bench/large-grid.mjs [--cells 10000] [--json]`.
// Needs a build. The grid runs on the embedded server with a real worker and all its activities, but the
// trials run nothing; they only leave their records. Exits with 1 when something grows that must not.
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_VERSION } from '../dist/support/version.js';
import { stateLayout } from '../dist/storage/state-layout.js';
import { ensureServices } from '../dist/temporal/ensure-services.js';
import { waitForChain } from './support/chain.mjs';
import { median, options, round, table } from './support/figures.mjs';
import { makeLab } from './support/lab.mjs';

const STEP = 1_000;
const AGENTS = 2;
const REPEATS = 50;
const CELLS_OF_A_TASK = 2 * AGENTS * REPEATS;
/** Memory at a mark is the median of what was seen at most so many cells before or after it. */
const AROUND_MARK = 200;
const COMMAND_RUNS = 3;

const MAX_EVENTS = 5_000;
const MAX_RSS_GROWTH = 1.2;
const MAX_TIME_GROWTH = 1.5;
const GOAL_MS = { status: 2_000, report: 5_000 };

const flags = options(process.argv.slice(2), { cells: 10_000, json: false });
if (flags.cells % STEP !== 0 || flags.cells < 3 * STEP) {
  throw new Error(`--cells ${flags.cells}: a multiple of ${STEP}, and at least ${3 * STEP}`);
}
const lab = await makeLab({
  tasks: flags.cells / CELLS_OF_A_TASK,
  agents: AGENTS,
  repeats: REPEATS,
});
try {
  const report = await measure();
  if (flags.json) console.log(JSON.stringify(report, null, 2));
  else print(report);
  if (report.failures.length > 0) process.exitCode = 1;
} finally {
  await lab.end();
}

async function measure() {
  const state = stateLayout(lab.stateDir);
  const workerEntry = fileURLToPath(new URL('support/stub-worker.mjs', import.meta.url));
  const { target } = await ensureServices({
    state,
    env: lab.env,
    note: (text) => process.stderr.write(`${text}\n`),
    version: ENGINE_VERSION,
    workerEntry,
  });
  const { workflowId } = await lab.cli('start-grid', '--json');
  const server = await watchServer(state);
  const { result, runs } = await waitForChain(target.address, workflowId);
  server.stop();
  const samples = await readSamples();
  const marks = marksOf(samples, server.samples);
  const commands = {
    status: await timesOf('status', '--json'),
    report: await timesOf('report', '--json'),
    plan: await timesOf('plan', '--json'),
  };
  const attempts = await attemptsByCell();
  const report = {
    schemaVersion: 1,
    kind: 'largeGrid',
    cells: flags.cells,
    result: {
      total: result.total,
      ran: result.ran,
      passed: result.passed,
      failed: result.failed,
    },
    attempts: {
      missing: flags.cells - attempts.size,
      twice: [...attempts.values()].filter((count) => count > 1).length,
    },
    runs,
    marks,
    growth: {
      // A start has peaks of its own, which would hide what grows later.
      rss: marks.at(-1).workerMb / Math.min(marks[0].workerMb, marks[1].workerMb),
      msACell: marks.at(-1).msACell / marks[1].msACell,
    },
    commandMs: commands,
  };
  return { ...report, failures: failuresOf(report) };
}

/** Memory and database of the server, once a second. */
async function watchServer(state) {
  const { pid } = await lab.cli('server', 'status', '--json');
  const samples = [];
  const timer = setInterval(async () => {
    const files = [state.databaseFile, `${state.databaseFile}-wal`];
    const sizes = await Promise.all(files.map((file) => stat(file).catch(() => ({ size: 0 }))));
    const serverMb = await rssMb(pid);
    if (serverMb === null) return;
    samples.push({
      at: Date.now(),
      serverMb,
      databaseMb: megabytes(sizes[0].size + sizes[1].size),
    });
  }, 1_000);
  return { samples, stop: () => clearInterval(timer) };
}

async function rssMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? null : megabytes(Number(kilobytes) * 1024);
}

async function readSamples() {
  const lines = (await readFile(lab.samplesFile, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** One row a thousand cells. */
function marksOf(samples, serverSamples) {
  const marks = [];
  for (let cells = STEP; cells <= flags.cells; cells += STEP) {
    const near = samples.filter((sample) => Math.abs(sample.cells - cells) <= AROUND_MARK);
    const thousand = samples.filter(
      (sample) => sample.cells >= cells - STEP && sample.cells <= cells,
    );
    const { at } = thousand.at(-1);
    const { serverMb, databaseMb } = serverSamples.findLast((sample) => sample.at <= at) ?? {};
    marks.push({
      cells,
      msACell: median(perCell(thousand, ({ at: time }) => time)),
      cpuMsACell: median(perCell(thousand, ({ cpuMs }) => cpuMs)),
      workerMb: megabytes(median(near.map(({ rss }) => rss))),
      heapMb: megabytes(median(near.map(({ heapUsed }) => heapUsed))),
      serverMb: serverMb ?? null,
      databaseMb: databaseMb ?? null,
    });
  }
  return marks;
}

/** From each sample to the next. */
function perCell(samples, of) {
  return samples.slice(1).map((sample, at) => {
    const before = samples[at];
    return (of(sample) - of(before)) / (sample.cells - before.cells);
  });
}

async function timesOf(...argv) {
  const times = [];
  for (let run = 0; run < COMMAND_RUNS; run += 1) {
    const start = performance.now();
    await lab.cli(...argv);
    times.push(performance.now() - start);
  }
  return median(times);
}

/** How many results each cell has, by the records on disk. */
async function attemptsByCell() {
  const attempts = new Map();
  const tree = join(lab.dir, 'results-raw');
  for (const file of await readdir(tree, { recursive: true })) {
    if (!file.endsWith('meta.json')) continue;
    const { task, agent, condition, repeat } = JSON.parse(await readFile(join(tree, file), 'utf8'));
    const cell = [task, agent, condition, repeat].join('/');
    attempts.set(cell, (attempts.get(cell) ?? 0) + 1);
  }
  return attempts;
}

function failuresOf({ result, attempts, runs, growth, commandMs }) {
  const longest = Math.max(...runs.map(({ events }) => events));
  const checks = [
    [result.ran === flags.cells, `${result.ran} cells ran`],
    [attempts.missing === 0, `${attempts.missing} cells without a result`],
    [attempts.twice === 0, `${attempts.twice} cells with more than one result`],
    [longest <= MAX_EVENTS, `a run of ${longest} events`],
    [growth.rss <= MAX_RSS_GROWTH, `memory of the worker: ${round(growth.rss, 2)} times`],
    [growth.msACell <= MAX_TIME_GROWTH, `time a cell: ${round(growth.msACell, 2)} times`],
    ...Object.entries(GOAL_MS).map(([name, goal]) => [
      commandMs[name] < goal,
      `${name} took ${round(commandMs[name])} ms`,
    ]),
  ];
  return checks.filter(([isMet]) => !isMet).map(([, text]) => text);
}

function print(report) {
  const { marks, runs, attempts, growth, commandMs, failures } = report;
  const shown = (value) => (value === null ? '' : round(value));
  const rows = marks.map((mark) => [
    String(mark.cells),
    ...Object.values(mark).slice(1).map(shown),
  ]);
  console.log(
    table([
      ['cells', 'ms a cell', 'cpu ms', 'worker MB', 'heap MB', 'server MB', 'db MB'],
      ...rows,
    ]),
  );
  const events = runs.map((run) => run.events);
  const bytes = runs.map((run) => run.bytes / 1024);
  const between = (values, unit) =>
    `${round(Math.min(...values), 0)} to ${round(Math.max(...values), 0)} ${unit}`;
  console.log(`\n${runs.length} runs, ${between(events, 'events')}, ${between(bytes, 'KB')} each`);
  console.log(`${attempts.missing} cells missing, ${attempts.twice} more than once`);
  console.log(
    `last thousand: ${round(growth.rss, 2)} × the memory of the first or second, ${round(growth.msACell, 2)} × the time of the second`,
  );
  for (const [name, ms] of Object.entries(commandMs))
    console.log(`${name} --json: ${round(ms)} ms`);
  for (const failure of failures) console.log(`FAILED: ${failure}`);
}

function megabytes(bytes) {
  return bytes / 1024 / 1024;
}
