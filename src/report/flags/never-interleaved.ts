import { blockRule, countOf, startedTrials } from './flag-types.js';

/**
 * All trials of one condition before the first of the next: what changed meanwhile (the model behind its
 * name, the load, the prices) can't be told from the condition. Asked where two arms have 2 trials or more.
 */
export const neverInterleaved = blockRule('never-interleaved', ({ arms }) => {
  const started = arms
    .flatMap((arm) => startedTrials(arm).map((trial) => ({ arm, at: trial.startedAtMs })))
    .sort((x, y) => x.at - y.at);
  const inTurn = started.filter(({ arm }, index) => arm !== started[index - 1]?.arm);
  const repeated = arms.filter((arm) => startedTrials(arm).length >= 2);
  if (repeated.length < 2 || inTurn.length > new Set(started.map(({ arm }) => arm)).size) return [];
  const order = inTurn.map(({ arm }) => countOf(arm.trials.length, `${arm.condition} trial`));
  return [`the conditions never take turns: ${order.join(', then ')}`];
});
