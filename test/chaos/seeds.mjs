// A grid of real trials through the real server while everything is killed, frozen and cut, by a plan that
// the seed decides.
import { runToTheEnd, startGrid, stopServices } from './grid.mjs';
import { makeLab } from './lab.mjs';
import { unleash } from './monkeys.mjs';
import { seededRandom } from './random.mjs';
import { runUndisturbed } from './undisturbed.mjs';
import { faultsOfAll, faultsOfArm, leftoversOf, tallyOf } from './verdict.mjs';

const TASKS = ['even', 'odd'];
const CONDITIONS = 2;
/**
 * On an engine the monkeys stop after that much for each trial, and the rest of the grid has its peace: on a
 * busy machine hardly any container would see its end.
 */
const DISTURBED_MS_PER_TRIAL = 8_000;

/**
 * @param {{trials: number, seed: number, minutes: number, keep: boolean, env: object, runtime: string}}
 *   options
 * @returns {Promise<{name: string, faults: string[]}[]>} one item
 */
export async function runSeed({ trials, seed, minutes, keep, env, runtime }) {
  const startedMs = Date.now();
  const name = runtime === 'process' ? `seed ${seed}` : `seed ${seed} on ${runtime}`;
  const random = seededRandom(seed);
  const seconds = new Map();
  /** Trials of 0.3 to 2 s, the same for the same seed. */
  const secondsOf = (task, condition) => {
    const arm = `${task}/${condition}`;
    if (!seconds.has(arm)) seconds.set(arm, random.between(0.1, 1.8));
    return seconds.get(arm);
  };
  const repeats = Math.ceil(trials / (TASKS.length * CONDITIONS));
  const experiment = { tasks: TASKS, repeats, secondsOf, runtime };
  const { expected, faults: unsure } = await runUndisturbed(experiment);

  const lab = await makeLab({ ...experiment, env });
  console.log(`chaos: ${name}, ${lab.cells} trials, in ${lab.root}`);
  const stop = new AbortController();
  const monkeys = unleash(lab, seed, stop.signal);
  if (lab.engine !== null) {
    setTimeout(() => stop.abort(), lab.cells * DISTURBED_MS_PER_TRIAL).unref();
  }
  await startGrid(lab);
  const isDone = ({ pending }) => pending === 0;
  const untilMs = startedMs + minutes * 60_000;
  const finished = await runToTheEnd(lab, { isDone, untilMs });
  stop.abort();
  await monkeys;
  // The last monkeys may have left server or worker dead: stopping needs neither.
  await stopServices(lab);

  const faults = [
    ...unsure,
    ...(finished ? [] : [`the grid did not end in ${minutes} minutes`]),
    ...lab.arms.flatMap((arm) =>
      faultsOfArm(lab, arm, ({ task, condition }) => expected.get(`${task}/${condition}`)),
    ),
    ...faultsOfAll(lab),
    ...(await leftoversOf(lab)),
  ];
  console.log(`chaos: ${name}: attempts: ${tallyOf(lab)}`);
  const took = Math.round((Date.now() - startedMs) / 1000);
  console.log(
    faults.length === 0
      ? `chaos: ${name}: ${lab.cells} trials counted once each and as undisturbed in ${took} s, nothing left over`
      : `chaos: ${name} FAILED; again with: npm run chaos -- --trials ${trials} --seed ${seed} --runtime ${runtime}; files in ${lab.root}`,
  );
  lab.closeLedger();
  await lab.engine?.removeImages(lab.image);
  if (faults.length === 0 && !keep) lab.remove();
  return [{ name, faults }];
}
