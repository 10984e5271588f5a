// Nothing is lost, nothing runs twice, nothing is left behind, whatever dies:
//   npm run chaos -- --trials 200 --seed 1    while everything is killed by a plan that the seed decides
//   npm run chaos -- --steps                  with a death between each two steps of a trial's life
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
const { keep } = values;

const items = values.steps
  ? await runSteps({
      only: values.only ?? null,
      part: values.part.split('/').map(Number),
      keep,
      isBroken: values['break-claim'],
      env,
    })
  : await runSeed({
      trials: Number(values.trials),
      seed: Number(values.seed),
      minutes: Number(values.minutes),
      keep,
      env,
    });

const failed = items.filter(({ faults }) => faults.length > 0);
for (const { name, faults } of failed) {
  for (const fault of faults) console.log(`fault: ${name}: ${fault}`);
}
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(items));
console.log(`chaos: ${items.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
