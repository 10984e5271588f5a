import type { Cell } from './cell.js';

/**
 * The text whose sha256 is the plan hash: the cells in their order, then `name: value` facts about the
 * content they run with (hashes of the experiment file and the prompts, commit ids) by name. What is
 * done already is not part of it: a plan stays the same while its grid runs.
 */
export function planBasis(cells: readonly Cell[], facts: Readonly<Record<string, string>>): string {
  const plan = cells.map((cell) =>
    JSON.stringify([cell.task, cell.agent, cell.condition, cell.repeat]),
  );
  const frozen = Object.keys(facts)
    .sort()
    .map((name) => JSON.stringify({ [name]: facts[name] }));
  return [...plan, ...frozen].join('\n');
}
