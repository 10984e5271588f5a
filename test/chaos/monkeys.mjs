// What happens to the lab, and when: each monkey sleeps a seeded while, then does its one thing.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signal } from './processes.mjs';
import { seededRandom } from './random.mjs';

/** Longer than the heartbeat time-out of 8 s: the server gives the attempt to another worker meanwhile. */
const ZOMBIE_MS = 11_000;
/** Longer than the 10 s for which the SDK tries to report a finished activity. */
const CUT_MS = 12_000;

/** Share of its kills for which the worker may still be starting. */
const EARLY_KILLS = 0.25;
const STARTING_MS = 20_000;

const MONKEYS = [
  {
    name: 'kill worker',
    everyMs: [2_000, 10_000],
    before: workerPolls,
    act: (lab) => kill(lab, ['worker']),
  },
  { name: 'kill server', everyMs: [15_000, 40_000], act: (lab) => kill(lab, ['server']) },
  { name: 'kill supervisor', everyMs: [12_000, 30_000], act: (lab) => kill(lab, ['supervisor']) },
  { name: 'kill agent', everyMs: [10_000, 25_000], act: (lab) => kill(lab, ['agent']) },
  {
    name: 'kill everything',
    everyMs: [45_000, 75_000],
    act: (lab) =>
      kill(lab, ['server', 'worker', 'supervisor', 'client', 'program', 'agent', 'other']),
  },
  { name: 'freeze worker', everyMs: [40_000, 80_000], act: freezeWorker },
  { name: 'cut server at the end of a trial', everyMs: [40_000, 80_000], act: cutServer },
];

/** A trial in containers takes longer, and an interrupted one is not to be the rule. */
const CONTAINERS_TAKE = 2;
const CONTAINER_MONKEYS = [
  ...MONKEYS.map((monkey) => ({
    ...monkey,
    everyMs: monkey.everyMs.map((delayMs) => delayMs * CONTAINERS_TAKE),
  })),
  { name: 'kill client', everyMs: [8_000, 20_000], act: (lab) => kill(lab, ['client']) },
  {
    name: 'kill container',
    everyMs: [8_000, 20_000],
    act: (lab) => lab.engine.killContainers(),
  },
];

/** Lets every monkey loose until the signal says stop. */
export async function unleash(lab, seed, stop) {
  const monkeys = lab.engine === null ? MONKEYS : CONTAINER_MONKEYS;
  // Numbers of its own for each, so that one monkey's delay does not change another's plan.
  await Promise.all(
    monkeys.map((monkey, at) => run(monkey, lab, seededRandom(seed * 1_000 + at), stop)),
  );
}

async function run({ name, everyMs, before, act }, lab, random, stop) {
  for (;;) {
    await before?.(lab, random, stop);
    await sleep(random.between(...everyMs), undefined, { signal: stop }).catch(() => null);
    if (stop.aborted) return;
    const done = await act(lab, stop);
    lab.log(`${name}: ${done}`);
  }
}

/**
 * On a machine that is busy a worker takes longer to start than it would be left alive, and no trial would
 * ever be asked for: most kills count from the moment at which it polls.
 */
async function workerPolls(lab, random, stop) {
  if (random.next() < EARLY_KILLS) return;
  const untilMs = Date.now() + STARTING_MS;
  while (!isPolling(lab) && Date.now() < untilMs && !stop.aborted) await sleep(100);
}

function isPolling(lab) {
  try {
    const record = JSON.parse(readFileSync(join(lab.stateDir, 'worker.json'), 'utf8'));
    return record.ready && signal(record.process.pid, 0);
  } catch {
    return false; // no worker yet, or one that was stopped
  }
}

function kill(lab, roles) {
  const victims = lab.processes().filter(({ role }) => roles.includes(role));
  for (const { pid } of victims) signal(pid, 'SIGKILL');
  return victims.map(({ role, pid }) => `${role} ${pid}`).join(', ') || 'nobody there';
}

async function freezeWorker(lab, stop) {
  const [worker] = lab.processes().filter(({ role }) => role === 'worker');
  if (worker === undefined || !signal(worker.pid, 'SIGSTOP')) return 'nobody there';
  await sleep(ZOMBIE_MS, undefined, { signal: stop }).catch(() => null);
  signal(worker.pid, 'SIGCONT');
  return `worker ${worker.pid} for ${ZOMBIE_MS} ms`;
}

/** The server hangs, with its connections open, from the moment at which a trial is recorded. */
async function cutServer(lab, stop) {
  const before = records(lab.dir);
  while (records(lab.dir) === before) {
    if (stop.aborted) return 'no trial ended';
    await sleep(5);
  }
  const [server] = lab.processes().filter(({ role }) => role === 'server');
  if (server === undefined || !signal(server.pid, 'SIGSTOP')) return 'nobody there';
  await sleep(CUT_MS, undefined, { signal: stop }).catch(() => null);
  signal(server.pid, 'SIGCONT');
  return `server ${server.pid} for ${CUT_MS} ms`;
}

export function records(dir) {
  try {
    return readdirSync(join(dir, 'results-raw'), { recursive: true }).filter((name) =>
      name.endsWith('meta.json'),
    ).length;
  } catch {
    return 0; // nothing recorded yet, or a folder vanished while it was read
  }
}
