// The worker with all its real activities, but trials that run nothing: `node stub-worker.mjs`. What a trial
// leaves (claim, meta.json, metrics.json) is written as ever. What the worker needs for how many
// trials goes to the file LLMX_BENCH_SAMPLES, a JSON line every few cells.
import { appendFileSync } from 'node:fs';
import { runWorker } from '../../dist/worker/run-worker.js';
import { stubTrials } from './stub-trials.mjs';

const SAMPLE_EVERY = 20;

await runWorker({
  env: process.env,
  note: console.error,
  trialsIn: (layout) => stubTrials(layout, sample),
});

function sample(cells) {
  if (cells % SAMPLE_EVERY !== 0) return;
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const line = JSON.stringify({
    cells,
    at: Date.now(),
    cpuMs: (user + system) / 1_000,
    rss,
    heapUsed,
  });
  appendFileSync(process.env.LLMX_BENCH_SAMPLES, `${line}\n`);
}
