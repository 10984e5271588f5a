// Runs a command in a sandbox until somebody kills this process. Needs a build.
import { runtimeOf } from '../../../dist/runtimes/registry.js';

const { kind, root, trialHash, stateId, image } = JSON.parse(process.argv[2]);
const runtime = runtimeOf(kind);
const sandbox = await runtime.prepare({
  marker: { trialHash, stateId },
  grid: null,
  root,
  image,
  memory: { text: '256m', bytes: 256 * 1024 * 1024 },
  cpus: '1',
  network: 'none',
  stage: 'trial',
});
await runtime.run(sandbox, {
  argv: ['sh', '-c', 'touch out/started; cat > /dev/null; touch out/input-closed'],
  env: sandbox.env,
  timeoutMs: 120_000,
  killGraceMs: 500,
  signal: new AbortController().signal,
});
