// Compiles src to dist, bundles the trial program and the supervisor, and the workflows for the worker.
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

await rm(`${root}dist`, { recursive: true, force: true });

const tsc = spawnSync(
  process.execPath,
  [require.resolve('typescript/bin/tsc'), '-p', `${root}tsconfig.build.json`],
  { cwd: root, stdio: 'inherit' },
);
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

const { bundleAssemble, bundleTrial } = await import('./bundle-trial.mjs');
await bundleTrial(`${root}dist/trial`);
await bundleAssemble(`${root}dist/apps`);

const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
const { code } = await bundleWorkflowCode({
  workflowsPath: `${root}dist/workflows/index.js`,
  failureConverterPath: `${root}dist/temporal/failure-converter.cjs`,
  logger: new DefaultLogger('WARN'),
});
await writeFile(`${root}dist/workflow-bundle.js`, code);
