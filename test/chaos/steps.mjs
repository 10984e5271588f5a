// A process dies between each two steps of a trial's life: at every crash point that the sources name, one
// after another, and everything must come out as if nothing had happened.
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { look, runToTheEnd, startGrid, stopServices } from './grid.mjs';
import { makeLab } from './lab.mjs';
import { scenarioOf, withMore } from './scenarios.mjs';
import { oneAnswer } from './undisturbed.mjs';
import { differences } from './facts.mjs';
import { agentStarts, faultsOfAll, faultsOfArm, leftoversOf } from './verdict.mjs';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));
/** Run before and after all others, by nobody disturbed. */
const CALM = ['calm-1', 'calm-2', 'calm-3'];
const AGENT_SECONDS = 0.05;
const CRASH_TIMEOUT_MS = 60_000;
/** Those at which containers are made, run or gone; the others do not ask what a sandbox is. */
const OF_CONTAINERS =
  /^(supervisor:(sandbox-made|sandbox-filled|agent-done|grading-made|grading-done)|bury:processes-ended|leftovers:processes-ended)$/;
/** Only a container grades in another one. */
const ONLY_CONTAINERS = /^supervisor:grading-/;
const STEP_TIMEOUT_MS = 3 * 60_000;

/** Names of all crash points, from the text of the sources: a new one can't be forgotten. */
export function crashPoints(folder = SOURCES) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.ts'));
  const points = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/crashPoint\('([^']+)'\)/g)].map(
      ([, point]) => point,
    ),
  );
  return [...new Set(points)].sort();
}

function stepsOf(runtime) {
  const points = crashPoints();
  if (runtime !== 'process') {
    return points.filter((point) => OF_CONTAINERS.test(point)).map(scenarioOf);
  }
  return withMore(points.filter((point) => !ONLY_CONTAINERS.test(point)).map(scenarioOf));
}

/**
 * @param {{only: string | null, part: [number, number], keep: boolean, isBroken: boolean, env: object,
 *   runtime: string}} options
 *   `part`: the n-th of so many, to be run side by side; `isBroken`: faults are what is wanted
 * @returns {Promise<{name: string, faults: string[]}[]>} an item for each step
 */
export async function runSteps({ only, part: [part, parts], keep, isBroken, env, runtime }) {
  const all = stepsOf(runtime);
  const steps =
    only === null
      ? all.filter((_, index) => index % parts === part - 1)
      : all.filter(({ name }) => name === only);
  if (steps.length === 0) throw new Error(`no step is called ${only}`);
  const lab = await makeLab({
    tasks: [...CALM, ...steps.map(({ name }) => taskOf(name))],
    repeats: 1,
    secondsOf: () => AGENT_SECONDS,
    env,
    runtime,
  });
  console.log(`chaos: ${steps.length} steps, in ${lab.root}`);
  const items = [];
  const { expected, faults } = await calmCells(lab);
  items.push(done({ name: 'undisturbed', faults }));
  for (const step of steps) items.push(done(await runStep(lab, step, expected)));
  items.push(done(await finish(lab, expected)));
  lab.closeLedger();
  await lab.engine?.removeImages(lab.image);
  const isAsWanted = items.every(({ faults }) => faults.length === 0) || isBroken;
  if (isAsWanted && !keep) lab.remove();
  else console.log(`chaos: files in ${lab.root}`);
  return items;
}

function done({ name, faults, seconds }) {
  const took = seconds === undefined ? '' : ` (${seconds.toFixed(1)} s)`;
  console.log(`chaos: step ${name}: ${faults.length === 0 ? 'ok' : 'FAILED'}${took}`);
  return { name: `step ${name}`, faults };
}

/** @returns what a cell says, by condition; the same for every task but for its name */
async function calmCells(lab) {
  const expected = new Map();
  const faults = [];
  for (const task of CALM.slice(0, 2)) faults.push(...(await runTask(lab, task)));
  for (const { task, condition } of armsOf(lab, CALM[0])) {
    const { facts, problems } = oneAnswer(lab, { task, condition });
    const again = oneAnswer(lab, { task: CALM[1], condition }).facts;
    if (facts === null || again === null) continue; // said already: no counted result
    faults.push(...problems, ...differences(again, facts));
    expected.set(condition, facts);
  }
  return { expected, faults };
}

async function runStep(lab, step, expected) {
  const startedMs = Date.now();
  const task = taskOf(step.name);
  const faults = [];
  lab.log(`step ${step.name}`);
  try {
    if (step.hold === true) writeFileSync(lab.holdFile, '');
    step.prepare?.(lab);
    const arm = () => {
      if (step.crash.length > 0) writeFileSync(lab.crashFile, step.crash.join('\n'));
    };
    if (step.act === undefined) arm();
    await startGrid(lab, filterOf(task));
    await step.act?.(lab, { task, arm });
    faults.push(...(await crashes(lab)));
    await step.afterCrash?.(lab, { task });
  } catch (error) {
    faults.push(error.message); // the other steps are still to be seen
  } finally {
    rmSync(lab.holdFile, { force: true });
    rmSync(lab.crashFile, { force: true });
  }
  faults.push(...(await runTask(lab, task)));
  await step.tidy?.(lab, { task });
  const arms = armsOf(lab, task);
  faults.push(
    ...arms.flatMap((arm) => faultsOfArm(lab, arm, ({ condition }) => expected.get(condition))),
  );
  const starts = arms.reduce((sum, arm) => sum + agentStarts(lab, arm), 0);
  const wanted = arms.length + (step.extraStarts ?? 0);
  if (starts !== wanted) faults.push(`${task}: ${starts} agents were started, ${wanted} wanted`);
  return { name: step.name, faults, seconds: (Date.now() - startedMs) / 1000 };
}

/** Looks as a person does, which brings back what died, until every crash has happened. */
async function crashes(lab) {
  const untilMs = Date.now() + CRASH_TIMEOUT_MS;
  while (existsSync(lab.crashFile)) {
    if (Date.now() > untilMs) return [`no process died at ${readFileSync(lab.crashFile, 'utf8')}`];
    await look(lab);
    await sleep(100);
  }
  return [];
}

/** Until each cell of the task has its result and no grid runs. */
async function runTask(lab, task) {
  const isDone = () => armsOf(lab, task).every((arm) => hasResult(lab, arm));
  const options = { filter: filterOf(task), isDone, untilMs: Date.now() + STEP_TIMEOUT_MS };
  return (await runToTheEnd(lab, options)) ? [] : [`${task} did not end`];
}

function hasResult(lab, { task, condition }) {
  const cell = join(lab.dir, 'results-raw', task, 'mine', condition);
  if (!existsSync(cell)) return false;
  return readdirSync(cell).some((stamp) => isCounted(join(cell, stamp, 'meta.json')));
}

function isCounted(file) {
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).status === 'valid';
}

/** After an ordinary trial nothing of all the dead ones may be left. */
async function finish(lab, expected) {
  const [task] = CALM.slice(-1);
  const faults = await runTask(lab, task);
  await stopServices(lab);
  for (const arm of armsOf(lab, task)) {
    faults.push(...faultsOfArm(lab, arm, ({ condition }) => expected.get(condition)));
  }
  faults.push(...faultsOfAll(lab), ...(await leftoversOf(lab)));
  const trials = readdirSync(join(lab.stateDir, 'trials'));
  faults.push(...trials.map((name) => `folder of a dead trial: ${name}`));
  return { name: 'nothing is left', faults };
}

function armsOf(lab, task) {
  return lab.arms.filter((arm) => arm.task === task);
}

function filterOf(task) {
  return ['--task', task, '--approve-yellow'];
}

function taskOf(name) {
  return name.replace(/[^A-Za-z0-9]+/g, '-');
}
