// What an attempt says about agent and task: all of it but times, paths, ids and what else ran before.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Keys of meta.json and metrics.json that differ between two good runs of one cell. */
const OF_THE_RUN = new Set([
  'finished_at',
  'frozen_id',
  'host_wall_seconds',
  'leftovers_before',
  'load_before',
  'repeat',
  'run_id',
  'stamp',
  'started_at',
  'trial_dir',
  'wall_seconds',
  'workflow_id',
]);

/** Record, metrics and every file that was kept, as text; the task's own name is left out of them. */
export function factsOf(attemptDir, task) {
  const facts = {};
  for (const name of readdirSync(attemptDir).sort()) {
    if (name.endsWith('.tmp')) continue; // of a writer that was killed after its file was in place
    const text = readFileSync(join(attemptDir, name), 'utf8');
    const plain = plainText(name, text);
    facts[name] = plain.replaceAll(task, '<task>');
  }
  return facts;
}

function plainText(name, text) {
  if (name === 'egress.jsonl') return withoutRoute(text);
  return name.endsWith('.json') ? withoutRun(JSON.parse(text)) : withoutTimes(text);
}

/** Each lab has a ledger at a port of its own. */
function withoutRoute(text) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => {
      const { method, host, allowed } = JSON.parse(line);
      return `${method} ${host} ${allowed}`;
    })
    .join('\n');
}

/** @returns {string[]} what differs, a line each */
export function differences(facts, expected) {
  const names = new Set([...Object.keys(facts), ...Object.keys(expected)]);
  return [...names]
    .filter((name) => facts[name] !== expected[name])
    .map((name) => `${name}: ${firstDifference(facts[name], expected[name])}`);
}

function firstDifference(text, expected) {
  if (text === undefined) return 'is missing';
  if (expected === undefined) return 'is one too many';
  const lines = text.split('\n');
  const wanted = expected.split('\n');
  const at = lines.findIndex((line, index) => line !== wanted[index]);
  return `${lines[at] ?? 'ends early'}, undisturbed: ${wanted[at] ?? 'ends'}`;
}

function withoutRun(record) {
  const plain = (key, value) => {
    if (OF_THE_RUN.has(key)) return undefined;
    // Each task has an image of its own: see faultsOfArm.
    return key === 'image_id' && value !== null ? 'an image' : value;
  };
  return JSON.stringify(record, plain, 2);
}

function withoutTimes(text) {
  return text
    .replace(/duration_ms:? [\d.]+/g, 'duration_ms')
    .replace(/\/[^\s'"]*\/sandboxes\/[^/]+\//g, '');
}
