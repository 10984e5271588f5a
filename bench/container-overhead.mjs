// What a container costs a trial: `node bench/container-overhead.mjs [--rounds 20] [--parts 20] [--json]`.
// Needs a build and podman. The same cell of the quickstart runs on `process`, on podman and, where it
// answers, on docker, one after another in every round, so that a busy machine disturbs all of them alike.
// A trial in containers has two: one for the agent, one in which its result is graded.
import { loadavg } from 'node:os';
import { containerParts } from './support/container-parts.mjs';
import { median, options, round, spread, table } from './support/figures.mjs';
import { answers, makeRuntimeLab } from './support/runtime-lab.mjs';

const GOAL_MS = 500;
const CELL = { index: 1, task: 'month-border', agent: 'oracle', condition: 'plain', repeat: 1 };

const flags = options(process.argv.slice(2), { rounds: 20, parts: 20, json: false });
const kinds = ['podman', ...((await answers('docker')) ? ['docker'] : [])];
const labs = [];
let isReached = false;
try {
  for (const runtime of ['process', ...kinds]) labs.push(await makeRuntimeLab(runtime));
  const report = summary(await measure(), await parts());
  isReached = report.minusProcess.podman.median < GOAL_MS;
  if (flags.json) console.log(JSON.stringify(report, null, 2));
  else print(report);
} finally {
  for (const lab of labs) await lab.end();
}
process.exitCode = isReached ? 0 : 1;

/** One row a round: milliseconds by runtime, and the load it was measured at. */
async function measure() {
  const rounds = [];
  for (let number = 0; number <= flags.rounds; number += 1) {
    const row = { load: loadavg()[0] };
    for (const lab of labs) row[lab.runtime] = await lab.run(CELL);
    // The first round makes the template and the task's image.
    if (number > 0) rounds.push(row);
    if (!flags.json) process.stderr.write(`\rround ${number} of ${flags.rounds}`);
  }
  if (!flags.json) process.stderr.write('\n');
  return rounds;
}

async function parts() {
  const all = {};
  for (const kind of kinds) {
    const times = await containerParts(kind, flags.parts);
    all[kind] = Object.fromEntries(
      Object.entries(times).map(([name, values]) => [name, spread(values)]),
    );
  }
  return all;
}

function summary(rounds, partsOf) {
  const over = (of) => spread(rounds.map(of));
  const each = (names, of) => Object.fromEntries(names.map((name) => [name, over(of(name))]));
  return {
    schemaVersion: 1,
    kind: 'containerOverhead',
    rounds: flags.rounds,
    load: { median: median(rounds.map(({ load }) => load)) },
    ms: each(['process', ...kinds], (name) => (row) => row[name]),
    minusProcess: each(kinds, (name) => (row) => row[name] - row.process),
    toProcess: each(kinds, (name) => (row) => row[name] / row.process),
    parts: partsOf,
  };
}

function print(report) {
  const row = (name, { median: middle, min }, digits) => [
    name,
    round(middle, digits),
    round(min, digits),
  ];
  const rows = [
    ...Object.entries(report.ms).map(([name, figures]) => row(name, figures)),
    ...Object.entries(report.minusProcess).map(([name, figures]) =>
      row(`${name} − process`, figures),
    ),
    ...Object.entries(report.toProcess).map(([name, figures]) =>
      row(`${name} ÷ process`, figures, 2),
    ),
  ];
  console.log(`${report.rounds} trials each, milliseconds; load ${round(report.load.median)}\n`);
  console.log(table([['', 'median', 'min'], ...rows]));
  for (const [kind, figures] of Object.entries(report.parts)) {
    console.log(`\nparts, ${kind}`);
    const partRows = Object.entries(figures).map(([name, part]) => row(`  ${name}`, part));
    console.log(table([['', 'median', 'min'], ...partRows]));
  }
  const cost = report.minusProcess.podman.median;
  console.log(`\npodman costs ${round(cost)} ms a trial; the goal is under ${GOAL_MS}`);
}
