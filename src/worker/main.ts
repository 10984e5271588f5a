import { runWorker } from './run-worker.js';

const say = (text: string): void => void process.stderr.write(`${text}\n`);
try {
  await runWorker({ env: process.env, note: say });
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
