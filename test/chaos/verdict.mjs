// What must hold when the dust has settled. Reads nothing but files and /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { labProcesses } from './processes.mjs';

/** @returns {string[]} what is wrong; empty when all holds */
export function faultsOf(lab) {
  const faults = [];
  const ledger = readLedger(join(lab.dir, 'ledger.txt'));
  const counted = [];
  for (const { task, condition } of lab.arms) {
    const cell = join(lab.dir, 'results-raw', task, 'mine', condition);
    const attempts = attemptsOf(cell);
    const valid = attempts.filter(({ meta }) => meta?.status === 'valid');
    if (valid.length !== lab.repeats) {
      faults.push(`${task}/${condition}: ${valid.length} counted results, ${lab.repeats} wanted`);
    }
    const wrong = valid.filter(({ meta }) => meta.passed !== (condition === 'fix'));
    if (wrong.length > 0) faults.push(`${task}/${condition}: ${wrong.length} wrong results`);
    for (const { stamp } of attempts.filter(({ meta }) => meta === null)) {
      faults.push(`${task}/${condition}/${stamp}: no record was written`);
    }
    counted.push(...valid);
  }
  for (const { trialHash, stamp } of counted) {
    const { starts = [], ends = [] } = ledger.get(trialHash) ?? {};
    if (starts.length !== 1 || ends.length !== 1) {
      faults.push(`${stamp}: the agent started ${starts.length} and ended ${ends.length} times`);
    }
  }
  for (const [trialHash, { starts }] of ledger) {
    if (starts.length > 1) faults.push(`trial ${trialHash} was started ${starts.length} times`);
  }
  faults.push(...overlaps(ledger));
  return faults;
}

/** Run after server and worker were stopped: nothing of the lab may be left. */
export function leftoversOf(lab) {
  return labProcesses(lab.root).map(({ pid, command }) => `left over: ${pid} ${command}`);
}

function attemptsOf(cell) {
  const claims = new Map(
    list(join(cell, '.claims')).map((name) => {
      const claim = JSON.parse(readFileSync(join(cell, '.claims', name), 'utf8'));
      return [claim.stamp, claim.trialHash];
    }),
  );
  return list(cell)
    .filter((name) => !name.startsWith('.') && claims.has(name))
    .map((stamp) => ({ stamp, trialHash: claims.get(stamp), meta: metaOf(join(cell, stamp)) }));
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

function readLedger(file) {
  const ledger = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
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
