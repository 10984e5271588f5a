import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { engineOf, isEngineKind } from '../../../src/runtimes/containers/engines.js';
import { runtimeOf } from '../../../src/runtimes/registry.js';
import { standIn, type StandIn } from '../../fixtures/apple-container/stand-in.js';
import { RuntimeBench } from './bench.js';
import { CHECKS } from './checks.js';
import { contractImage, removeContractImage } from './image.js';
import { runtimeTitle, writeTableFacts, type TriedRuntime } from './table-facts.js';

const CHECK_MS = 120_000;

/** docker is tried where its engine answers; podman needs none and can be installed anywhere. */
const docker = await engineOf('docker').probe();
const RUNTIMES: readonly TriedRuntime[] = [
  { kind: 'process', untried: null },
  { kind: 'podman', untried: null },
  { kind: 'docker', untried: docker.ok ? null : docker.detail },
  // A stand-in over podman that answers as Apple's CLI is documented to; no Mac has run this.
  { kind: 'apple', untried: null },
];
const KINDS = RUNTIMES.filter(({ untried }) => untried === null).map(({ kind }) => kind);

writeTableFacts(RUNTIMES, CHECKS);

describe('the container engines of this machine', () => {
  it('have podman among them (apt-get install podman runc)', async () => {
    expect(await engineOf('podman').probe()).toMatchObject({ ok: true, hint: null });
  });
});

describe.each(KINDS.map((kind) => ({ kind, title: runtimeTitle(kind) })))('$title', ({ kind }) => {
  let bench: RuntimeBench;
  let apple: StandIn | null = null;
  const path = process.env['PATH'];

  beforeAll(async () => {
    if (kind === 'apple') {
      apple = await standIn({ version: '1.2.2' });
      process.env['PATH'] = apple.path;
    }
    const image = isEngineKind(kind) ? await contractImage(engineOf(kind)) : null;
    bench = await RuntimeBench.open(runtimeOf(kind), image);
  }, CHECK_MS);
  afterEach(() => bench.clear(), CHECK_MS);
  afterAll(async () => {
    await bench.close();
    if (isEngineKind(kind)) await removeContractImage(engineOf(kind));
    apple?.remove();
    process.env['PATH'] = path;
  }, CHECK_MS);

  const own = CHECKS.filter(({ notFor }) => notFor?.[kind] === undefined);

  it.each(own)(
    '$name',
    async ({ run }) => {
      await run(bench);
    },
    CHECK_MS,
  );
});
