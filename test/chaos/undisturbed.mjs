// The same experiment with nobody to disturb it: what its cells must say, whatever happens to the others.
import { runToTheEnd, startGrid, stopServices } from './grid.mjs';
import { makeLab } from './lab.mjs';
import { attemptsOf } from './verdict.mjs';
import { differences, factsOf } from './facts.mjs';

/** Enough to see that a cell says the same each time: then a third repeat has nothing to add. */
const REPEATS = 2;
const TIMEOUT_MS = 5 * 60_000;

/**
 * Runs the grid of the options with few repeats. Which repeat a trial is changes nothing about it, so every
 * counted trial of the disturbed grid must say what its arm says here.
 * @returns {Promise<{expected: Map<string, object>, faults: string[]}>} facts by `task/condition`
 */
export async function runUndisturbed(options) {
  const lab = await makeLab({ ...options, repeats: Math.min(options.repeats, REPEATS) });
  await startGrid(lab);
  const isDone = ({ pending }) => pending === 0;
  const finished = await runToTheEnd(lab, { isDone, untilMs: Date.now() + TIMEOUT_MS });
  await stopServices(lab);
  const faults = finished ? [] : [`the undisturbed grid did not end; files in ${lab.root}`];
  const expected = new Map();
  for (const arm of lab.arms) {
    const { facts, problems } = oneAnswer(lab, arm);
    if (facts !== null) expected.set(`${arm.task}/${arm.condition}`, facts);
    faults.push(...problems);
  }
  lab.closeLedger();
  if (faults.length === 0) lab.remove();
  return { expected, faults };
}

/** What all attempts of an arm say; only an arm that answers with one voice can judge another run. */
export function oneAnswer(lab, { task, condition }) {
  const [first, ...others] = attemptsOf(lab, { task, condition }).map(({ dir }) =>
    factsOf(dir, task),
  );
  const said = others.flatMap((facts) => differences(facts, first));
  return {
    facts: first ?? null,
    problems: said.map((what) => `undisturbed ${task}/${condition} says two things: ${what}`),
  };
}
