/** Writes `<outDir>/program.mjs` and `<outDir>/supervisor.mjs`; returns the files written. */
export function bundleTrial(
  outDir: string,
  only?: readonly ('program' | 'supervisor')[],
): Promise<string[]>;
export function bundleAssemble(outDir: string): Promise<string>;
