// What durability costs a cell: `node bench/grid-overhead.mjs [--rounds 6] [--cells 10] [--json]`.
// Needs a build. In every round the same cells run three ways, one after another, so that a noisy machine
// disturbs all of them alike:
//   bare    the trial program alone: copy the template, run the program
//   direct  claims, supervisor and records around it, without Temporal
//   grid    a grid of gridWorkflow on the embedded server; start-to-start gaps of its history
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bareTrial } from './support/bare.mjs';
import { median, options, round, spread, table } from './support/figures.mjs';
import { runGrid } from './support/grid.mjs';
import { makeLab } from './support/lab.mjs';
import { directTrials } from './support/trials.mjs';

const GOAL_MS = 110;

const flags = options(process.argv.slice(2), { rounds: 6, cells: 10, json: false });
const lab = await makeLab({ repeats: flags.cells / 2 });
try {
  const rounds = await measure();
  const report = summary(rounds);
  if (flags.json) console.log(JSON.stringify(report, null, 2));
  else print(report);
} finally {
  await lab.end();
}

async function measure() {
  // The first grid starts server and worker and makes the template; it is not counted.
  const { plan } = await runGrid(lab);
  const { cells } = await lab.cli('plan', '--json');
  const templates = join(lab.stateDir, 'templates');
  const [template] = (await readdir(templates)).filter((name) => !name.startsWith('.'));
  const bareDir = join(lab.root, 'bare-trials');
  await mkdir(bareDir);
  const direct = directTrials(lab, plan, `bench-${process.pid}`);
  const rounds = [];
  for (let number = 1; number <= flags.rounds; number += 1) {
    const bare = [];
    for (const _cell of cells) bare.push(await bareTrial(bareDir, join(templates, template)));
    await lab.forgetResults();
    const trials = [];
    for (const { done: _, ...cell } of cells) {
      trials.push(await direct.run(cell, `bench-${process.pid}/${number}/${cell.index}`));
    }
    await lab.forgetResults();
    rounds.push({ bare, direct: trials, grid: (await runGrid(lab)).cells });
    if (!flags.json) process.stderr.write(`round ${number} of ${flags.rounds}\n`);
  }
  return rounds;
}

function summary(rounds) {
  const perRound = rounds.map(({ bare, direct, grid }) => ({
    bare: median(bare.map(({ total }) => total)),
    direct: median(direct),
    grid: median(grid.flatMap(({ gap }) => gap ?? [])),
  }));
  const over = (of) => spread(perRound.map(of));
  return {
    schemaVersion: 1,
    kind: 'gridOverhead',
    cells: flags.cells,
    rounds: flags.rounds,
    ms: {
      bare: over(({ bare }) => bare),
      direct: over(({ direct }) => direct),
      grid: over(({ grid }) => grid),
      directMinusBare: over(({ bare, direct }) => direct - bare),
      gridMinusDirect: over(({ direct, grid }) => grid - direct),
      gridMinusBare: over(({ bare, grid }) => grid - bare),
    },
    gridToBare: over(({ bare, grid }) => grid / bare),
    bareParts: partsOf(
      rounds.flatMap(({ bare }) =>
        bare.map(({ copy, program, phases }) => ({ copy, program, ...phases })),
      ),
    ),
    gridParts: partsOf(rounds.flatMap(({ grid }) => grid.map(({ parts }) => parts))),
  };
}

function partsOf(rows) {
  const names = Object.keys(rows[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, spread(rows.map((row) => row[name]))]));
}

function print(report) {
  const row = (name, { min, median: middle }) => [name, round(middle), round(min)];
  const ms = Object.entries(report.ms).map(([name, figures]) => row(name, figures));
  console.log(`${report.rounds} rounds of ${report.cells} cells, milliseconds a cell\n`);
  console.log(table([['', 'median', 'min'], ...ms]));
  console.log(`\ngrid ÷ bare: ${round(report.gridToBare.median, 2)}`);
  for (const [title, parts] of [
    ['parts of the bare trial', report.bareParts],
    ['parts of a grid cell', report.gridParts],
  ]) {
    console.log(`\n${title}`);
    const rows = Object.entries(parts).map(([name, figures]) => row(`  ${name}`, figures));
    console.log(table([['', 'median', 'min'], ...rows]));
  }
  const cost = report.ms.gridMinusBare.median;
  console.log(`\n${round(cost)} ms a cell; the goal is under ${GOAL_MS}`);
}
