// Nothing is lost, nothing runs twice, nothing is left behind, whatever dies:
//   npm run chaos -- --trials 200 --seed 1    while everything is killed by a plan that the seed decides
//   npm run chaos -- --steps                  with a death between each two steps of a trial's life
//   npm run chaos -- --runtime podman         either of them with trials in containers
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runSeed } from './seeds.mjs';
import { runSteps } from './steps.mjs';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** Minutes after which a grid that does not end is a fault. */
    minutes: { type: 'string', default: '60' },
    steps: { type: 'boolean', default: false },
    /** process, podman or docker. */
    runtime: { type: 'string', default: 'process' },
    /** The one step of that name. */
    only: { type: 'string' },
    /** `1/2`: every second step, so that two runs share them. */
    part: { type: 'string', default: '1/1' },
    /** Test of the test: without claims the suite must find faults. */
    'break-claim': { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    /** File for the items as JSON: `[{name, faults}]`. */
    report: { type: 'string' },
  },
});
const env = values['break-claim'] ? { LLMX_TEST_BREAK_CLAIM: '1' } : {};
const { keep, runtime } = values;

const items = await run().catch((error) => {
  console.error(error);
  return [{ name: `chaos on ${runtime}`, faults: [error.message] }];
});

function run() {
  if (!values.steps) {
    const { trials, seed, minutes } = values;
    const numbers = { trials: Number(trials), seed: Number(seed), minutes: Number(minutes) };
    return runSeed({ ...numbers, keep, env, runtime });
  }
  return runSteps({
    only: values.only ?? null,
    part: values.part.split('/').map(Number),
    keep,
    isBroken: values['break-claim'],
    env,
    runtime,
  });
}

const failed = items.filter(({ faults }) => faults.length > 0);
for (const { name, faults } of failed) {
  for (const fault of faults) console.log(`fault: ${name}: ${fault}`);
}
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(items));
console.log(`chaos: ${items.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
