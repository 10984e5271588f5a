import { execa } from 'execa';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const QUICKSTART = resolve('examples/quickstart');
const MADE_HERE = /\/(app|results-raw|report|\.apps\.local)$/;

/** What a cell says about agent and task, wherever it ran. */
const OUTCOME = [
  'status',
  'passed',
  'agent_exit',
  'agent_signal',
  'timed_out',
  'changed_files',
  'untracked_files',
  'touched_target',
  'test_file_edited',
  'test_before_exit',
  'test_after_exit',
  'branches_visible_to_agent',
  'history_visible_to_agent',
  'clean_tree_before',
] as const;

type Meta = Readonly<Record<string, unknown>>;

export interface CellRecord {
  readonly meta: Meta;
  readonly diff: string;
}

/** What all cells say, without what differs from run to run. */
export function outcomes(
  cells: ReadonlyMap<string, CellRecord>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...cells].map(([cell, { meta, diff }]) => {
      const said = OUTCOME.map((key) => [key, meta[key]] as const);
      return [cell, { ...Object.fromEntries(said), diff }];
    }),
  );
}

/** The first attempt of each cell. */
export async function cellsOf(dir: string): Promise<ReadonlyMap<string, CellRecord>> {
  const cells = new Map<string, CellRecord>();
  for (const folder of await attempts(dir)) {
    const cell = folder.split('/').slice(0, 3).join('/');
    if (cells.has(cell)) continue;
    const read = (name: string): Promise<string> =>
      readFile(join(dir, 'results-raw', folder, name), 'utf8');
    cells.set(cell, {
      meta: JSON.parse(await read('meta.json')) as Meta,
      diff: await read('agent.diff'),
    });
  }
  return cells;
}

/** Folders of all closed attempts, the oldest of a cell first. */
export async function attempts(dir: string): Promise<readonly string[]> {
  const names = await readdir(join(dir, 'results-raw'), { recursive: true });
  const files = names.filter((name) => name.endsWith('/meta.json'));
  return files.map((name) => name.slice(0, -'/meta.json'.length)).sort();
}

/** The quickstart in a folder, with an image of its own. */
export async function quickstartOn(dir: string, kind: string, image: string): Promise<void> {
  await cp(QUICKSTART, dir, { recursive: true, filter: (path) => !MADE_HERE.test(path) });
  await execa(process.execPath, [join(QUICKSTART, 'make-app.mjs'), dir]);
  const file = join(dir, 'experiment.yml');
  const text = await readFile(file, 'utf8');
  const contained = text
    .replace('runtime: process', `runtime: ${kind}`)
    .replace('toolchain: node', `toolchain: node\n    image: '${image}'`);
  await writeFile(file, contained);
}
