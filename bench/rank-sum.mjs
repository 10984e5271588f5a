// How long the exact tests take: `node bench/rank-sum.mjs [--runs 10] [--json]`. Needs a build. Processor
// time beside wall time, since other work on the machine is in the wall time alone. Exits with 1 when a
// goal is missed.
import { rankSumTest } from '../dist/domain/statistics/rank-sum.js';
import { options, round, spread, table } from './support/figures.mjs';

/** Values of an arm and the number of levels they lie on; few levels are many ties. */
const DESIGNS = [
  { n: 12, levels: 6 },
  { n: 50, levels: 10 },
  { n: 50, levels: 1e9 },
  { n: 100, levels: 10 },
  { n: 100, levels: 1e9 },
  { n: 200, levels: 10 },
];
const GOAL_MS = { 50: 500, 100: 3_000 };

const flags = options(process.argv.slice(2), { runs: 10, json: false });
const designs = DESIGNS.map(measure);
const missed = designs.filter(({ n, wallMs }) => wallMs.median > (GOAL_MS[n] ?? Infinity));
if (flags.json) {
  const report = { schemaVersion: 1, kind: 'rankSum', runs: flags.runs, goalMs: GOAL_MS, designs };
  console.log(JSON.stringify(report, null, 2));
} else {
  console.log(`${flags.runs} runs after a first one, milliseconds\n`);
  const rows = designs.map(({ n, levels, wallMs, cpuMs }) => [
    `${n} against ${n}, ${levels > n * n ? 'no ties' : `${levels} levels`}`,
    round(wallMs.median, 2),
    round(wallMs.min, 2),
    round(cpuMs.median, 2),
  ]);
  console.log(table([['', 'median', 'min', 'cpu median'], ...rows]));
  console.log(`\nthe goals are ${GOAL_MS[50]} ms for 50 and ${GOAL_MS[100]} ms for 100`);
}
if (missed.length > 0) process.exitCode = 1;

function measure({ n, levels }) {
  const wall = [];
  const cpu = [];
  const random = generator();
  for (let run = 0; run <= flags.runs; run += 1) {
    const a = Array.from({ length: n }, () => Math.floor(random() * levels));
    const b = Array.from({ length: n }, () => Math.floor((random() + 0.1) * levels));
    const before = { wall: performance.now(), cpu: process.cpuUsage() };
    const { p } = rankSumTest(a, b);
    if (!(p >= 0 && p <= 1)) throw new Error(`p is ${p}`);
    if (run === 0) continue; // compiled by now
    wall.push(performance.now() - before.wall);
    const { user, system } = process.cpuUsage(before.cpu);
    cpu.push((user + system) / 1_000);
  }
  return { n, levels, wallMs: spread(wall), cpuMs: spread(cpu) };
}

/** The same numbers in every run. */
function generator() {
  let state = 20_260_101;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
