// What a container itself costs, part by part, without a trial in it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { containerRuntime } from '../../dist/runtimes/containers/container-runtime.js';
import { engineOf } from '../../dist/runtimes/containers/engines.js';
import { BASE_IMAGE } from './runtime-lab.mjs';

const MEMORY = { text: '512m', bytes: 512 * 1024 * 1024 };
const APP_COPY = 'cp -a /usr/share/git-core "$TMPDIR"/copy';

/** @returns milliseconds by part, one list each; `rounds` of them, the parts in turn */
export async function containerParts(kind, rounds) {
  const engine = engineOf(kind);
  const runtime = containerRuntime(engine);
  const image = (await engine.image(BASE_IMAGE))?.id ?? null;
  const dir = await mkdtemp(join(tmpdir(), 'llmx-bench-parts-'));
  let count = 0;
  const inside = async (...argv) => {
    count += 1;
    const sandbox = await runtime.prepare({
      marker: { trialHash: `bench${process.pid}x${count}`, stateId: `bench${process.pid}` },
      grid: null,
      root: join(dir, `${count}`),
      image,
      memory: MEMORY,
      cpus: '1',
      network: 'none',
      stage: 'trial',
    });
    const end = await runtime.run(sandbox, {
      argv,
      env: sandbox.env,
      timeoutMs: 60_000,
      killGraceMs: 500,
      signal: new AbortController().signal,
    });
    if (end.exit !== 0) throw new Error(`${argv.join(' ')}: ${end.detail ?? end.exit}`);
  };
  const works = {
    'a container that runs true': () => inside('true'),
    'a container that runs node': () => inside('node', '-e', '0'),
    'a container that copies files': () => inside('sh', '-c', APP_COPY),
    'node on the host': () => promisify(execFile)(process.execPath, ['-e', '0'], { env: {} }),
    'list of leftovers': () => runtime.findLeftovers(`bench${process.pid}`),
    'id of an image': () => engine.image(BASE_IMAGE),
  };
  const times = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, work] of Object.entries(works)) {
        const start = performance.now();
        await work();
        // The first round warms up.
        if (round > 0) times[name].push(performance.now() - start);
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  return times;
}
