import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeImageRecord } from '../../../../src/apps/image/image-record.js';
import { imageTargets, type ImageFacts } from '../../../../src/client/clean/image-targets.js';
import type { EngineStock } from '../../../../src/client/clean/ask-engines.js';
import type { KnownPlan } from '../../../../src/client/clean/known-plans.js';
import { parseExperiment } from '../../../../src/domain/experiment/parse-experiment.js';
import type { ImageRow } from '../../../../src/runtimes/containers/engine.js';
import { engineOf } from '../../../../src/runtimes/containers/engines.js';
import { stateLayout } from '../../../../src/storage/state-layout.js';

const STATE = 'mystate';
const FILE = `name: shopping
agents: {nop: }
conditions: [plain]
apps:
  shop: {toolchain: none, branch_prefix: exp, test_command: sh}
tasks:
  - {id: t1, app: shop, test_file: test/add.test.sh}
`;

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'llmx-images-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

function image(id: string, kind: string, name: string, reference: string | null = name): ImageRow {
  const labels = { 'dev.llmx.kind': kind, 'dev.llmx.name': name, 'dev.llmx.built-for': STATE };
  return { id, reference, sizeBytes: 1, labels };
}

const APP = image('sha256:a1', 'app', 'llmx-app-shop:latest');
const OLD = image('sha256:a0', 'app', 'llmx-app-shop:latest', null);
const TASK = image('sha256:t1', 'task', 'llmx-app-shop:task-t1');
const BASE = image('sha256:b1', 'base', 'llmx-base:latest');
const STRANGER = image('sha256:s1', 'app', 'llmx-app-other:latest');

function plan(isThere = true): KnownPlan {
  const parsed = parseExperiment(FILE, { env: {} });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  const { experiment } = parsed;
  return { key: 'shopping-1a2b3c4d', isThere, plan: { experiment } as KnownPlan['plan'] };
}

/** Name, note and reason to stay of each image of one engine. */
async function look(images: readonly ImageRow[], changes: Partial<ImageFacts> = {}) {
  const stock: EngineStock = { engine: engineOf('podman'), images, containers: [], cache: null };
  const targets = await imageTargets([stock], {
    stateId: STATE,
    layout: stateLayout(root),
    env: {},
    plans: [plan()],
    grids: { ids: [], unknown: null },
    liveStarts: new Set(),
    ...changes,
  });
  return targets.map(({ name, note, kept }) => [name, note, kept]);
}

const USED = 'a running grid or trial uses it';

describe('images in the report', () => {
  it('say what they are for, what is built on others first', async () => {
    expect(await look([BASE, OLD, APP, STRANGER, TASK])).toEqual([
      ['llmx-app-shop:task-t1', 'task of shopping', null],
      ['a0', 'app; stale, replaced by a newer build', null],
      ['llmx-app-shop:latest', 'app of shopping', null],
      ['llmx-app-other:latest', 'app; no experiment that was started here uses it', null],
      ['llmx-base:latest', 'base of every app', null],
    ]);
  });

  it('are no longer of an experiment that is gone', async () => {
    const [[, note] = []] = await look([APP], { plans: [plan(false)] });
    expect(note).toBe('app; no experiment that was started here uses it');
  });

  it('stay while a grid runs that starts from them, by name or by record', async () => {
    await writeImageRecord(stateLayout(root), 'k', {
      imageId: OLD.id,
      reference: APP.reference ?? '',
    });
    const grids = { ids: ['llmx-grid-shopping-1a2b3c4d-5e6f7a8b'], unknown: null };
    const kept = (await look([TASK, OLD, APP, STRANGER, BASE], { grids })).map(([, , why]) => why);
    expect(kept).toEqual([USED, USED, USED, null, USED]);
  });

  it('stay where the server does not say what runs', async () => {
    const grids = { ids: [], unknown: 'no answer' };
    const kept = (await look([APP, STRANGER], { grids })).map(([, , why]) => why);
    expect(kept).toEqual(['whether a running grid uses it is not known: no answer', null]);
  });

  it('stay while a trial runs from them', async () => {
    const kept = (await look([OLD, APP], { liveStarts: new Set([OLD.id]) })).map(
      ([, , why]) => why,
    );
    expect(kept).toEqual([USED, null]);
  });

  it('stay when another state folder had them built', async () => {
    const [[, , kept] = []] = await look([APP], { stateId: 'another' });
    expect(kept).toBe('built for another state folder');
  });
});
