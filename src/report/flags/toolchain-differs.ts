import { blockRule } from './flag-types.js';

/** Trials that are compared with each other, but ran with other versions, pins, image or runtime. */
export const toolchainDiffers = blockRule('toolchain-differs', ({ arms }) => {
  const trials = arms.flatMap((arm) => arm.trials);
  const names = new Set(trials.flatMap(({ versions }) => Object.keys(versions)));
  const differences = [...names].sort().flatMap((name) => {
    const found = new Set(trials.map(({ versions }) => versions[name] ?? 'not recorded'));
    return found.size > 1 ? [`${name} is ${[...found].join(' or ')}`] : [];
  });
  return differences.length === 0 ? [] : [differences.join('; ')];
});
