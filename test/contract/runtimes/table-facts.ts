import { writeFileSync } from 'node:fs';
import type { RuntimeKind } from '../../../src/domain/experiment/experiment.js';
import type { RuntimeCheck } from './checks.js';

/** One column of the table that `npm run contract` prints. */
export interface TriedRuntime {
  readonly kind: RuntimeKind;
  /** Why it could not be tried on this machine, or null. */
  readonly untried: string | null;
}

/** Title of all checks of one runtime; the table finds the results by it. */
export function runtimeTitle(kind: RuntimeKind): string {
  return `the runtime ${kind}`;
}

/** For scripts/contract-table.mjs, which names the file: what the results alone do not say. */
export function writeTableFacts(
  runtimes: readonly TriedRuntime[],
  checks: readonly RuntimeCheck[],
): void {
  const file = process.env['LLMX_CONTRACT_FACTS'];
  if (file === undefined) return;
  const facts = {
    runtimes: runtimes.map((runtime) => ({ ...runtime, title: runtimeTitle(runtime.kind) })),
    checks: checks.map(({ name, notFor = {} }) => ({ name, notFor })),
  };
  writeFileSync(file, JSON.stringify(facts));
}
