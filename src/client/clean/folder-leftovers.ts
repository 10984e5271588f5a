import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { knownBranches } from '../../apps/template/app-source.js';
import { templateIdOf } from '../../apps/template/template-id.js';
import { removeFolder } from '../../runtimes/remove-folder.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { bytesOnDisk } from './disk-use.js';
import { namesIn, type KnownPlan } from './known-plans.js';
import type { Target } from './target.js';

/** Whoever writes a file takes seconds, whoever builds a template takes hours at most. */
const STALE_MS = 24 * 60 * 60_000;

/** Trials have their own rules, templates hold an app's files, and both may be large. */
const NOT_ENTERED = ['trials', 'templates'];

/** What killed writes and builds left half-made in the state folder, when it is older than a day. */
export async function halfMade(layout: StateLayout): Promise<readonly Target[]> {
  const found = [...(await halfMadeIn(layout.root)), ...(await buildingTemplates(layout))];
  const targets = await Promise.all(
    found.map(async (path): Promise<Target[]> => {
      const stats = await lstat(path).catch(() => null); // gone meanwhile
      if (stats === null || Date.now() - stats.mtimeMs < STALE_MS) return [];
      return [
        folderTarget(layout, path, 'half-made files', 'older than a day', await bytesOnDisk(path)),
      ];
    }),
  );
  return targets.flat();
}

async function halfMadeIn(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const enter = async (dir: string): Promise<void> => {
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      const isContext = dir === join(root, 'contexts');
      if (isContext || /^\..+\.tmp$/.test(entry.name)) found.push(path);
      else if (entry.isDirectory() && !(dir === root && NOT_ENTERED.includes(entry.name))) {
        await enter(path);
      }
    }
  };
  await enter(root);
  return found;
}

async function buildingTemplates(layout: StateLayout): Promise<readonly string[]> {
  const dir = dirname(layout.templateDir('any'));
  return (await namesIn(dir)).filter((name) => name.startsWith('.')).map((name) => join(dir, name));
}

/**
 * Templates that no plan of an experiment that is still there starts from. `names` were read before the
 * plans: a template is made for a plan that is frozen already.
 */
export async function unusedTemplates(
  layout: StateLayout,
  names: readonly string[],
  plans: readonly KnownPlan[],
  liveStarts: ReadonlySet<string>,
): Promise<readonly Target[]> {
  const used = new Set(
    plans.filter(({ isThere }) => isThere).flatMap(({ plan }) => templatesOf(plan)),
  );
  const gone = names.filter(
    (id) => !id.startsWith('.') && !used.has(id) && !liveStarts.has(layout.templateDir(id)),
  );
  return Promise.all(
    gone.map(async (id) => {
      const dir = layout.templateDir(id);
      const note = 'its experiment is gone';
      return folderTarget(layout, dir, 'template', note, await bytesOnDisk(dir));
    }),
  );
}

export async function templateNames(layout: StateLayout): Promise<readonly string[]> {
  return namesIn(dirname(layout.templateDir('any')));
}

/** Ids of the templates that trials of a plan are copied from. */
function templatesOf({ experiment, manifest }: KnownPlan['plan']): readonly string[] {
  return experiment.apps.flatMap((app) => {
    const commits = manifest.commits[app.key] ?? null;
    return commits === null ? [] : [templateIdOf(app, knownBranches(commits))];
  });
}

function folderTarget(
  layout: StateLayout,
  path: string,
  what: string,
  note: string,
  sizeBytes: number,
): Target {
  return {
    kind: 'leftovers',
    what,
    name: relative(layout.root, path),
    engine: null,
    sizeBytes,
    note,
    kept: null,
    remove: async () => {
      await removeFolder(path);
      return null;
    },
  };
}
