// `npm run demo`: the quickstart experiment from nothing to its report, with the built CLI.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cwd = `${root}examples/quickstart`;

function run(...argv) {
  return spawnSync(process.execPath, argv, { cwd, stdio: 'inherit' }).status ?? 1;
}

process.exitCode = run('make-app.mjs') || run(`${root}bin/llmx-client.js`, 'start-grid', '--wait');
