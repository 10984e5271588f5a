// What must hold when the dust has settled. Reads nothing but files and /proc.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { differences, factsOf } from './facts.mjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { labProcesses } from './processes.mjs';

/**
 * @param {(arm: {task: string, condition: string}) => object | undefined} expectedOf what the same cell
 *   says when nothing disturbs it
 * @returns {string[]} what is wrong with one arm; empty when all holds
 */
export function faultsOfArm(lab, arm, expectedOf) {
  const { task, condition } = arm;
  const name = `${task}/${condition}`;
  const attempts = attemptsOf(lab, arm);
  const valid = attempts.filter(({ meta }) => meta?.status === 'valid');
  const faults = [];
  if (valid.length !== lab.repeats) {
    faults.push(`${name}: ${valid.length} counted results, ${lab.repeats} wanted`);
  }
  for (const { stamp, meta, trialHash } of attempts) {
    if (meta === null) faults.push(`${name}/${stamp}: no record was written`);
    if (trialHash === null) faults.push(`${name}/${stamp}: nobody claimed it`);
  }
  const expected = expectedOf(arm);
  if (expected === undefined) return [...faults, `${name}: no undisturbed result to compare with`];
  for (const { stamp, dir } of valid) {
    const said = differences(factsOf(dir, task), expected);
    faults.push(...said.map((what) => `${name}/${stamp} is not as undisturbed: ${what}`));
  }
  const images = new Set(valid.map(({ meta }) => meta.image_id));
  if (images.size > 1) faults.push(`${name}: started from ${images.size} images`);
  return [...faults, ...ledgerFaults(lab, valid, attempts)];
}

/** Starts of agents, for all attempts of an arm: each of them was paid for. */
export function agentStarts(lab, arm) {
  const ledger = readLedger(lab);
  const hashes = attemptsOf(lab, arm).map(({ trialHash }) => trialHash);
  return hashes.reduce((sum, hash) => sum + (ledger.get(hash)?.starts.length ?? 0), 0);
}

function ledgerFaults(lab, valid, attempts) {
  const ledger = readLedger(lab);
  const linesOf = ({ trialHash }) => ledger.get(trialHash) ?? { starts: [], ends: [] };
  const faults = [];
  for (const attempt of attempts) {
    const { starts, ends } = linesOf(attempt);
    if (starts.length > 1)
      faults.push(`${attempt.stamp}: the agent started ${starts.length} times`);
    if (valid.includes(attempt) && (starts.length !== 1 || ends.length !== 1)) {
      faults.push(
        `${attempt.stamp} counts, but its agent started ${starts.length} and ended ${ends.length} times`,
      );
    }
  }
  return faults;
}

/** Faults that are not those of one arm. */
export function faultsOfAll(lab) {
  const ledger = readLedger(lab);
  const known = new Set(lab.arms.flatMap((arm) => attemptsOf(lab, arm).map((it) => it.trialHash)));
  const strangers = [...ledger.keys()].filter((trialHash) => !known.has(trialHash));
  return [
    ...strangers.map((trialHash) => `trial ${trialHash} ran and has no attempt`),
    ...overlaps(ledger),
  ];
}

/** An engine is still clearing away a container when its client has ended. */
const CLEARED_MS = 10_000;

/** Run after server and worker were stopped: nothing of the lab may be left. */
export async function leftoversOf(lab) {
  if (lab.engine === null) return processesOf(lab, []);
  const hashes = trialHashes(lab);
  const untilMs = Date.now() + CLEARED_MS;
  while (processesOf(lab, hashes).length > 0 && Date.now() < untilMs) await sleep(100);
  return [...processesOf(lab, hashes), ...(await lab.engine.leftovers())];
}

function processesOf(lab, hashes) {
  return labProcesses(lab.root, hashes).map(({ pid, command }) => `left over: ${pid} ${command}`);
}

/** Of all attempts that were claimed. */
export function trialHashes(lab) {
  return lab.arms.flatMap((arm) => attemptsOf(lab, arm).flatMap((it) => it.trialHash ?? []));
}

/** How many attempts ended how, and how many agents were paid for. */
export function tallyOf(lab) {
  const tally = {};
  for (const arm of lab.arms) {
    for (const { meta } of attemptsOf(lab, arm)) {
      const how = meta?.aborted ?? meta?.status ?? 'without a record';
      tally[how] = (tally[how] ?? 0) + 1;
    }
  }
  const starts = lab.arms.reduce((sum, arm) => sum + agentStarts(lab, arm), 0);
  const said = Object.entries(tally).map(([how, count]) => `${count} ${how}`);
  return `${said.join(', ')}; ${starts} agents started`;
}

/**
 * Folders of an arm that hold anything or are claimed. A process that dies before its claim leaves an empty
 * one, which stands for nothing.
 */
export function attemptsOf(lab, { task, condition }) {
  const cell = join(lab.dir, 'results-raw', task, 'mine', condition);
  const claims = new Map(
    list(join(cell, '.claims'))
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .map((name) => {
        const claim = JSON.parse(readFileSync(join(cell, '.claims', name), 'utf8'));
        return [claim.stamp, claim.trialHash];
      }),
  );
  return list(cell)
    .filter((name) => !name.startsWith('.'))
    .map((stamp) => ({ stamp, dir: join(cell, stamp), trialHash: claims.get(stamp) ?? null }))
    .filter(({ dir, trialHash }) => trialHash !== null || list(dir).length > 0)
    .map((attempt) => ({ ...attempt, meta: metaOf(attempt.dir) }));
}

function metaOf(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8'));
  } catch {
    return null; // none, or half-written: both are faults
  }
}

function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was ever tried
  }
}

function readLedger(lab) {
  const ledger = new Map();
  for (const line of readFileSync(lab.ledgerFile, 'utf8').split('\n').filter(Boolean)) {
    const [kind, trialHash, nanoseconds] = line.split(' ');
    const entry = ledger.get(trialHash) ?? { starts: [], ends: [] };
    entry[kind === 'S' ? 'starts' : 'ends'].push(BigInt(nanoseconds));
    ledger.set(trialHash, entry);
  }
  return ledger;
}

/** Agents that ran at the same time spoil each other's timings. One that was killed left no end. */
function overlaps(ledger) {
  const spans = [...ledger.values()]
    .filter(({ starts, ends }) => starts.length === 1 && ends.length === 1)
    .map(({ starts, ends }) => ({ start: starts[0], end: ends[0] }))
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  return spans.flatMap((span, at) =>
    at > 0 && spans[at - 1].end > span.start ? ['two trials overlapped'] : [],
  );
}
