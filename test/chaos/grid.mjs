// A person at the terminal: looks with `status`, which brings back what is dead, and starts the next grid.
import { setTimeout as sleep } from 'node:timers/promises';
import { labProcesses } from './processes.mjs';

/** How often it is seen whether server and worker are there: looking at processes costs next to nothing. */
const GLANCE_MS = 1_000;
/** How often somebody asks although nothing seems wrong: each `status` is a process of its own. */
const LOOK_MS = 8_000;

/**
 * @param {{filter?: string[], isDone: (status: object) => boolean, untilMs: number}} options
 * @returns {Promise<boolean>} false when the time was over first
 */
export async function runToTheEnd(lab, { filter = [], isDone, untilMs }) {
  while (Date.now() < untilMs) {
    const status = await look(lab);
    if (status !== null && ['done', 'stopped'].includes(status.phase)) {
      if (isDone(status)) return true;
      await startGrid(lab, filter);
    }
    await untilWorthALook(lab);
  }
  return false;
}

async function untilWorthALook(lab) {
  const untilMs = Date.now() + LOOK_MS;
  do await sleep(GLANCE_MS);
  while (Date.now() < untilMs && hasServices(lab));
}

function hasServices(lab) {
  const roles = new Set(labProcesses(lab.stateDir).map(({ role }) => role));
  return roles.has('server') && roles.has('worker');
}

/** @returns {Promise<object | null>} null when the command was killed or could not connect */
export async function look(lab) {
  const { stdout, stderr } = await lab.cli('status', '--json');
  const status = parsed(stdout);
  if (stderr !== '') lab.log(`status: ${stderr.trim().replaceAll('\n', ' | ')}`);
  lab.log(`phase ${status?.phase ?? '?'}, ${status?.done ?? '?'} of ${status?.total ?? '?'} done`);
  return typeof status?.phase === 'string' ? status : null;
}

export async function startGrid(lab, filter = []) {
  const { exit, stdout, stderr } = await lab.cli('start-grid', '--json', ...filter);
  lab.log(`start-grid: ${exit} ${stdout.trim()} ${stderr.trim()}`);
}

/** Neither needs the server or the worker to be alive. */
export async function stopServices(lab) {
  await lab.cli('worker', 'stop');
  await lab.cli('server', 'stop');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
