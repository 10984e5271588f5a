import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RuntimeKind } from '../../../src/domain/experiment/experiment.js';
import { engineOf, isEngineKind } from '../../../src/runtimes/containers/engines.js';
import { runtimeOf } from '../../../src/runtimes/registry.js';
import { RuntimeBench } from './bench.js';
import { CHECKS } from './checks.js';
import { contractImage } from './image.js';

const CHECK_MS = 120_000;

/** docker is tried where its engine answers; podman needs none and can be installed anywhere. */
const docker = await engineOf('docker').probe();
const KINDS: readonly RuntimeKind[] = [
  'process',
  'podman',
  ...(docker.ok ? ['docker' as const] : []),
];

describe('the container engines of this machine', () => {
  it('have podman among them (apt-get install podman runc)', async () => {
    expect(await engineOf('podman').probe()).toMatchObject({ ok: true, hint: null });
  });
});

describe.each(KINDS)('the runtime %s', (kind) => {
  let bench: RuntimeBench;

  beforeAll(async () => {
    const image = isEngineKind(kind) ? await contractImage(engineOf(kind)) : null;
    bench = await RuntimeBench.open(runtimeOf(kind), image);
  }, CHECK_MS);
  afterEach(() => bench.clear(), CHECK_MS);
  afterAll(() => bench.close(), CHECK_MS);

  const own = CHECKS.filter(({ notFor }) => notFor?.[kind] === undefined);

  it.each(own)(
    '$name',
    async ({ run }) => {
      await run(bench);
    },
    CHECK_MS,
  );
});
