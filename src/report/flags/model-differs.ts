import { blockRule, countOf, type FlaggedTrial } from './flag-types.js';

/** Trials that are compared with each other, but asked for or got other models; or got one not asked for. */
export const modelDiffers = blockRule('model-differs', ({ arms }) => {
  const trials = arms.flatMap((arm) => arm.trials);
  return [
    ...severalModels('requested', trials, (trial) => trial.modelRequested),
    ...severalModels('reported', trials, (trial) => trial.modelReported),
    ...notAsRequested(trials),
  ];
});

function severalModels(
  what: string,
  trials: readonly FlaggedTrial[],
  modelOf: (trial: FlaggedTrial) => string | null,
): readonly string[] {
  const models = new Set(trials.map(modelOf).filter((model) => model !== null));
  return models.size > 1 ? [`models ${what}: ${[...models].sort().join(', ')}`] : [];
}

/** A dated name is the model that was asked for: `some-model-20300101` for `some-model`. */
function notAsRequested(trials: readonly FlaggedTrial[]): readonly string[] {
  const others = trials.filter(({ modelRequested: asked, modelReported: got }) => {
    return asked !== null && got !== null && got !== asked && !got.startsWith(`${asked}-`);
  });
  const [first] = others;
  if (first === undefined) return [];
  const example = `${first.modelReported ?? ''} instead of ${first.modelRequested ?? ''}`;
  return [`${countOf(others.length, 'trial')} got ${example}`];
}
