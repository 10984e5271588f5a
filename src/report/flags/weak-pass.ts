import { blockRule, countOf } from './flag-types.js';

/** Trials that passed although a part of their verdict speaks against it. One flag for each such part. */
export const weakPass = blockRule('weak-pass', ({ arms }) => {
  const passed = arms.flatMap((arm) => arm.trials).filter((trial) => trial.passed);
  const folders = new Map<string, string[]>();
  for (const { weaknesses, folder } of passed) {
    for (const weakness of weaknesses) {
      folders.set(weakness, [...(folders.get(weakness) ?? []), folder]);
    }
  }
  return [...folders].map(([weakness, [example = '', ...more]]) => {
    return `${countOf(more.length + 1, 'trial')} passed although ${weakness}: ${example}`;
  });
});
