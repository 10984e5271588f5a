// How long `llmx-client --help` takes: `node bench/cli-help.mjs [--runs 30] [--json]`. Needs a build.
// Paired with `node -e 0`, which no Node program can beat; the two take turns, so that a noisy machine
// disturbs both alike.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { options, round, spread, table } from './support/figures.mjs';

const GOAL_MS = 150;
const CLIENT = fileURLToPath(new URL('../bin/llmx-client.js', import.meta.url));

const flags = options(process.argv.slice(2), { runs: 30, json: false });
const commands = {
  node: ['-e', '0'],
  help: [CLIENT, '--help'],
  planHelp: [CLIENT, 'plan', '--help'],
};
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
for (let run = 0; run < flags.runs; run += 1) {
  for (const [name, args] of Object.entries(commands)) times[name].push(await timeOf(args));
}

const more = (name) => times[name].map((time, run) => time - times.node[run]);
const report = {
  schemaVersion: 1,
  kind: 'cliHelp',
  runs: flags.runs,
  ms: Object.fromEntries(Object.entries(times).map(([name, values]) => [name, spread(values)])),
  helpMinusNode: spread(more('help')),
  helpToNode: spread(times.help.map((time, run) => time / times.node[run])),
};
if (flags.json) {
  console.log(JSON.stringify(report, null, 2));
} else {
  const row = (name, { median, min }) => [name, round(median), round(min)];
  console.log(`${flags.runs} runs, milliseconds\n`);
  console.log(
    table([
      ['', 'median', 'min'],
      row('node -e 0', report.ms.node),
      row('llmx-client --help', report.ms.help),
      row('llmx-client plan --help', report.ms.planHelp),
      row('--help − node', report.helpMinusNode),
    ]),
  );
  const ratio = round(report.helpToNode.median, 2);
  console.log(`\n--help ÷ node: ${ratio}; the goal is under ${GOAL_MS} ms`);
}

function timeOf(args) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (exit) => {
      if (exit === 0) resolve(performance.now() - start);
      else reject(new Error(`${args.join(' ')} ended with ${exit}`));
    });
  });
}
