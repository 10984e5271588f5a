import { join } from 'node:path';
import {
  BUILT_FOR_LABEL,
  baseImage,
  KIND_LABEL,
  NAME_LABEL,
  taskImage,
} from '../../apps/image/names.js';
import { forgetImages } from '../../apps/image/image-record.js';
import { readJsonIfExists } from '../../support/atomic-file.js';
import type { ContainerEngine, ImageRow } from '../../runtimes/containers/engine.js';
import type { StateLayout } from '../../storage/state-layout.js';
import type { Environment } from '../../support/paths.js';
import type { EngineStock } from './ask-engines.js';
import { keysOf, namesIn, type KnownPlan } from './known-plans.js';
import type { RunningGrids } from './running-grids.js';
import type { Target } from './target.js';

export interface ImageFacts {
  /** Null without a state folder. */
  readonly stateId: string | null;
  readonly layout: StateLayout;
  readonly env: Environment;
  readonly plans: readonly KnownPlan[];
  readonly grids: RunningGrids;
  /** Image ids. */
  readonly liveStarts: ReadonlySet<string>;
}

/** What depends on an image comes before it. */
const ORDER = ['task', 'app', 'base'];

/** Images with our labels. One that only has a name like ours, or was built on one of ours, is anybody's. */
export async function imageTargets(
  stocks: readonly EngineStock[],
  facts: ImageFacts,
): Promise<readonly Target[]> {
  const needed = await neededImages(facts);
  return stocks.flatMap(({ engine, images }) =>
    images
      .filter(isOurs)
      .toSorted((a, b) => rank(a) - rank(b))
      .map((image) => imageTarget(engine, image, facts, needed)),
  );
}

function isOurs({ reference, labels }: ImageRow): boolean {
  const name = labels[NAME_LABEL];
  return name !== undefined && (reference === null || reference === withTag(name));
}

function rank({ labels }: ImageRow): number {
  return ORDER.indexOf(labels[KIND_LABEL] ?? '');
}

interface Needed {
  readonly references: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

function imageTarget(
  engine: ContainerEngine,
  image: ImageRow,
  facts: ImageFacts,
  needed: Needed,
): Target {
  const { id, reference, sizeBytes } = image;
  return {
    kind: 'images',
    what: 'image',
    name: reference ?? shortId(id),
    engine: engine.kind,
    sizeBytes,
    note: noteOf(image, facts),
    kept: keptBecause(image, facts, needed),
    remove: async () => {
      const isGone = await engine.removeImage(reference ?? id);
      // Trials look up by record which image they start from.
      if (isGone) await forgetImages(facts.layout);
      return isGone ? null : 'a container or another image uses it';
    },
  };
}

function shortId(id: string): string {
  return id.replace('sha256:', '').slice(0, 12);
}

/** One built for another state folder may be in use there, which nobody here knows. */
function keptBecause(
  { id, reference, labels }: ImageRow,
  { grids, stateId }: ImageFacts,
  needed: Needed,
): string | null {
  if (needed.ids.has(id) || (reference !== null && needed.references.has(reference))) {
    return grids.unknown === null
      ? 'a running grid or trial uses it'
      : `whether a running grid uses it is not known: ${grids.unknown}`;
  }
  if (labels[BUILT_FOR_LABEL] === stateId) return null;
  return 'built for another state folder';
}

/** Who it is for, and whether it is still what they start from. */
function noteOf({ reference, labels }: ImageRow, { env, plans }: ImageFacts): string {
  const kind = labels[KIND_LABEL] ?? '';
  if (reference === null) return `${kind}; stale, replaced by a newer build`;
  if (kind === 'base') {
    return reference === withTag(baseImage(env)) ? 'base of every app' : 'base under another name';
  }
  const users = new Set(
    plans
      .filter(({ isThere, plan }) => isThere && referencesOf(plan).has(reference))
      .map(({ plan }) => plan.experiment.name),
  );
  return users.size === 0
    ? `${kind}; no experiment that was started here uses it`
    : `${kind} of ${[...users].sort().join(', ')}`;
}

/** All that running grids and trials may still start from. */
async function neededImages({
  layout,
  env,
  plans,
  grids,
  liveStarts,
}: ImageFacts): Promise<Needed> {
  const keys = keysOf(plans, grids.ids);
  const using = plans.filter(({ key, isThere }) =>
    grids.unknown === null ? keys.has(key) : isThere,
  );
  const references = new Set(using.flatMap(({ plan }) => [...referencesOf(plan)]));
  if (using.length > 0) references.add(withTag(baseImage(env)));
  // A newer build may have taken the name of the image that a grid began with.
  const recorded = (await readRecords(layout)).filter((record) => references.has(record.reference));
  return { references, ids: new Set([...liveStarts, ...recorded.map(({ imageId }) => imageId)]) };
}

function referencesOf({ experiment }: KnownPlan['plan']): ReadonlySet<string> {
  const apps = experiment.apps.map(({ image }) => image);
  const tasks = experiment.tasks.flatMap((task) => {
    const app = experiment.apps.find(({ key }) => key === task.app);
    return app === undefined ? [] : [taskImage(app.image, task.id)];
  });
  return new Set([...apps, ...tasks].map(withTag));
}

/** As engines list it. */
function withTag(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return name.includes(':') ? reference : `${reference}:latest`;
}

interface Recorded {
  readonly reference: string;
  readonly imageId: string;
}

async function readRecords({ imagesDir }: StateLayout): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for (const name of await namesIn(imagesDir)) {
    const record = (await readJsonIfExists(join(imagesDir, name)).catch(
      () => null, // damaged: trials ask the engine then, which goes by name
    )) as Partial<Recorded> | null;
    const { reference, imageId } = record ?? {};
    if (typeof reference !== 'string' || typeof imageId !== 'string') continue;
    records.push({ reference: withTag(reference), imageId });
  }
  return records;
}
