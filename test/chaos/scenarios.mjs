// How a grid gets to each crash point. A point that is not named here lies on the way of every trial.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { look } from './grid.mjs';
import { signal } from './processes.mjs';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} crash points at which processes die, in this order
 * @property {boolean} [hold] agents go on until every crash has happened
 * @property {(lab: object) => void} [prepare]
 * @property {(lab: object, step: {task: string, arm: () => void}) => Promise<void>} [act] when the grid has
 *   begun; it arms the crashes itself
 * @property {(lab: object, step: {task: string}) => Promise<void>} [afterCrash]
 * @property {(lab: object, step: {task: string}) => void} [tidy] before the verdict
 * @property {number} [extraStarts] agents whose work is lost with the process that dies. @defaultValue 0
 */

/** Longer than the heartbeat time-out and the wait for the next try. */
const TAKEN_OVER_MS = 11_000;
const TIMEOUT_MS = 60_000;

/** Also run with broken claims, when it must fail. */
export const KILLED_WORKER = 'a worker is killed while a trial runs';

/** @returns {Step} */
export function scenarioOf(point) {
  const special = SPECIAL.find(({ points }) => points.test(point));
  return { name: point, crash: [point], ...special?.step(point) };
}

const SPECIAL = [
  {
    // A supervisor that dies in mid-trial is buried by the worker.
    points: /^bury:/,
    step: () => ({ hold: true, act: killSupervisor, extraStarts: 1 }),
  },
  {
    // The next trial finds what a supervisor left that died when its attempt was closed.
    points: /^leftovers:/,
    step: (point) => ({ crash: ['supervisor:recorded', point] }),
  },
  {
    points: /^attach:claims-restored$/,
    step: () => ({ hold: true, act: damageClaim, tidy: mendClaim }),
  },
  {
    points: /^stop:asked$/,
    step: () => ({ hold: true, act: cancelGrid, afterCrash: agentsGone, extraStarts: 1 }),
  },
  {
    points: /^template:built$/,
    step: () => ({ prepare: (lab) => remove(join(lab.stateDir, 'templates')) }),
  },
  {
    // The agent had ended, and nothing was saved yet.
    points: /^supervisor:(agent-done|grading-made|grading-done|before-record)$/,
    step: () => ({ extraStarts: 1 }),
  },
];

/** @param {Step[]} steps @returns {Step[]} and those in which several processes die */
export function withMore(steps) {
  const closing = steps.filter(({ name }) => name.startsWith('close:'));
  return [
    ...steps,
    // The worker closes the attempt with what the supervisor saved.
    ...closing.map(({ name }) => both('supervisor:outcome-saved', name)),
    // Buried before there was a spec that could tell what the trial was about.
    both('attach:claimed', 'bury:recorded'),
    both('attach:trial-folder-made', 'bury:fenced'),
    { name: KILLED_WORKER, crash: [], hold: true, act: killWorker },
  ];
}

function both(first, second) {
  return { name: `${first}, ${second}`, crash: [first, second] };
}

async function killSupervisor(lab, { arm }) {
  await agentRuns(lab);
  arm();
  kill(lab, 'supervisor');
}

async function killWorker(lab, { task }) {
  await agentRuns(lab);
  kill(lab, 'worker');
  const claims = claimsOf(lab, task).length;
  const untilMs = Date.now() + TAKEN_OVER_MS;
  // The trial goes on until another worker has come to it, and has perhaps started a second one.
  while (Date.now() < untilMs && claimsOf(lab, task).length === claims) {
    await look(lab);
    await sleep(200);
  }
}

async function damageClaim(lab, { task, arm }) {
  await agentRuns(lab);
  kill(lab, 'worker');
  const [file] = claimsOf(lab, task);
  writeFileSync(`${file}.sound`, readFileSync(file));
  writeFileSync(file, '{"half":');
  arm();
}

/** The verdict wants to know which trial it was. */
function mendClaim(lab, { task }) {
  for (const file of claimsOf(lab, task)) {
    try {
      writeFileSync(file, readFileSync(`${file}.sound`));
      rmSync(`${file}.sound`);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error; // only one of them was damaged
    }
  }
}

async function cancelGrid(lab, { arm }) {
  await agentRuns(lab);
  arm();
  const { exit, stderr } = await lab.cli('cancel', '--json');
  lab.log(`cancel: ${exit} ${stderr.trim()}`);
}

async function agentsGone(lab) {
  await until(lab, 'the end of the agent', () => !hasAgent(lab));
}

async function agentRuns(lab) {
  await until(lab, 'an agent', () => hasAgent(lab));
}

function hasAgent(lab) {
  return lab.processes().some(({ role }) => role === 'agent');
}

async function until(lab, what, holds) {
  const untilMs = Date.now() + TIMEOUT_MS;
  while (!holds()) {
    if (Date.now() > untilMs) throw new Error(`no sign of ${what} after ${TIMEOUT_MS} ms`);
    await look(lab);
  }
}

function kill(lab, wanted) {
  for (const { pid, role } of lab.processes()) {
    if (role === wanted) signal(pid, 'SIGKILL');
  }
}

/** Of all cells of a task. */
function claimsOf(lab, task) {
  const folder = join(lab.dir, 'results-raw', task);
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.claims\/\d+\.json$/.test(name))
    .map((name) => join(folder, name));
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true });
}
