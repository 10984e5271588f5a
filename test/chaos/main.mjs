// `npm run chaos -- --trials 200 --seed 1`: a grid of real trials through the real server while
// everything is killed, frozen and cut, by a plan that the seed decides.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeLab } from './lab.mjs';
import { unleash } from './monkeys.mjs';
import { seededRandom } from './random.mjs';
import { faultsOf, leftoversOf } from './verdict.mjs';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** Minutes after which a grid that does not end is a fault. */
    minutes: { type: 'string', default: '60' },
    /** Test of the test: without claims the suite must find faults. */
    'break-claim': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const trials = Number(values.trials);
const seed = Number(values.seed);
const random = seededRandom(seed);

/** Trials of 0.3 to 2 s, the same for the same seed. */
const secondsOf = () => random.between(0.1, 1.8);

const lab = makeLab({
  trials,
  secondsOf,
  env: values['break-claim'] ? { LLMX_TEST_BREAK_CLAIM: '1' } : {},
});
console.log(`chaos: seed ${seed}, ${lab.cells} trials, in ${lab.root}`);

const startedAt = Date.now();
const stop = new AbortController();
const monkeys = unleash(lab, seed, stop.signal);
const finished = await runToTheEnd();
stop.abort();
await monkeys;
// The last monkeys may have left server or worker dead: stopping needs neither.
await lab.cli('worker', 'stop');
await lab.cli('server', 'stop');

const faults = [
  ...(finished ? [] : [`the grid did not end in ${values.minutes} minutes`]),
  ...faultsOf(lab),
  ...leftoversOf(lab),
];
const seconds = Math.round((Date.now() - startedAt) / 1000);
for (const fault of faults) console.log(`fault: ${fault}`);
console.log(
  faults.length === 0
    ? `chaos: seed ${seed}: ${lab.cells} trials counted once each in ${seconds} s, 0 leftover processes`
    : `chaos: seed ${seed} FAILED; again with: npm run chaos -- --trials ${trials} --seed ${seed}; files in ${lab.root}`,
);
if (faults.length === 0 && !values.keep) lab.remove();
process.exitCode = faults.length === 0 ? 0 : 1;

/** A person who looks now and then: `status` brings back what is dead, `start-grid` starts the next grid. */
async function runToTheEnd() {
  const deadline = startedAt + Number(values.minutes) * 60_000;
  while (Date.now() < deadline) {
    const { stdout, stderr } = await lab.cli('status', '--json');
    const status = parsed(stdout);
    if (stderr !== '') lab.log(`status: ${stderr.trim().replaceAll('\n', ' | ')}`);
    lab.log(
      `phase ${status?.phase ?? '?'}, ${status?.done ?? '?'} of ${status?.total ?? '?'} done`,
    );
    if (status?.pending === 0 && status.phase === 'done') return true;
    if (status?.phase === 'stopped') {
      const started = await lab.cli('start-grid', '--json');
      lab.log(`start-grid: ${started.exit} ${started.stdout.trim()} ${started.stderr.trim()}`);
    }
    await sleep(1_000);
  }
  return false;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the command was killed or could not connect
  }
}
