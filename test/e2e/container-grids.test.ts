import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execa } from 'execa';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { engineOf } from '../../src/runtimes/containers/engines.js';
import { pollUntil } from '../../src/support/poll.js';
import { ContainerLab, enginesHere } from './support/container-lab.js';
import { exampleLab } from './support/quickstart.js';

jest.setTimeout(600_000);

const ENGINES = await enginesHere();
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

interface CellRecord {
  readonly meta: Meta;
  readonly diff: string;
}

interface GridResultJson {
  readonly ok: boolean;
  readonly total: number;
  readonly ran: number;
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly {
    readonly code: string;
    readonly hint: string | null;
  }[];
}

describe('the quickstart grid', () => {
  let onHost: ReadonlyMap<string, CellRecord>;

  beforeAll(async () => {
    const lab = await exampleLab('quickstart');
    try {
      await lab.cli('start-grid', '--wait', '--json');
      onHost = await cellsOf(lab.dir);
    } finally {
      await lab.end();
    }
  });

  describe.each(ENGINES)('in containers of %s', (kind) => {
    let lab: ContainerLab;
    let cells: ReadonlyMap<string, CellRecord>;

    beforeAll(async () => {
      lab = await ContainerLab.make(kind, 'ledger', (dir, image) => quickstart(dir, kind, image));
      await lab.must('start-grid', '--wait', '--json');
      cells = await cellsOf(lab.dir);
    });
    afterAll(() => lab.end());

    it('says of each cell what it says on the host', () => {
      expect(onHost.size).toBe(8);
      expect(outcomes(cells)).toEqual(outcomes(onHost));
    });

    it('records the image, what held the sandbox and what was in it', () => {
      for (const { meta } of cells.values()) {
        expect(meta).toMatchObject({
          runtime: kind,
          image_id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
          proof: 'container',
          host: { limits: 'memory,cpus,pids', network: 'model-only' },
          toolchain: { node: process.versions.node, git: expect.any(String) },
        });
      }
    });

    it('starts the trials of a task from one image, and those of another from another', () => {
      const images = [...cells].map(([cell, { meta }]) => [cell.split('/')[0], meta['image_id']]);
      const byTask = new Set(images.map((pair) => pair.join(' ')));
      expect(byTask.size).toBe(2);
    });

    it('has nothing left to do the second time', async () => {
      const again = await lab.must('start-grid', '--wait', '--json');
      expect(again.json<GridResultJson>()).toMatchObject({ ok: true, total: 0, ran: 0 });
      expect((await cellsOf(lab.dir)).size).toBe(8);
    });

    it('runs one more trial by hand', async () => {
      const run = await lab.must('run-trial', 'month-border', 'oracle', 'plain', '--json');
      expect(run.json()).toMatchObject({ status: 'valid', passed: true });
    });

    it('leaves no container', async () => {
      expect(await lab.containers()).toEqual([]);
    });

    it('gives no score when an image was removed meanwhile, and goes on as the hint says', async () => {
      const before = (await attempts(lab.dir)).length;
      const again = ['--wait', '--json', '--redo-done', '--approve-yellow'];
      const running = lab.cli('start-grid', ...again);
      const hasBegun = async (): Promise<true | null> =>
        (await attempts(lab.dir)).length > before ? true : null;
      await pollUntil(hasBegun, { timeoutMs: 90_000 });
      await removeTaskImage(lab, kind);

      const { failures, ran } = (await running).json<GridResultJson>();
      expect(failures.length).toBeGreaterThan(0);
      for (const { code } of failures) expect(code).toBe('image_gone');
      expect(ran).toBe(8 - failures.length);

      const [, ...hinted] = failures[0]?.hint?.split(' ') ?? [];
      const grid = await lab.must(...hinted, ...again, '--task', 'split-rounding');
      expect(grid.json<GridResultJson>()).toMatchObject({ ok: true, ran: 4, passed: 2, failed: 2 });
    });
  });
});

function outcomes(cells: ReadonlyMap<string, CellRecord>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...cells].map(([cell, { meta, diff }]) => {
      const said = OUTCOME.map((key) => [key, meta[key]] as const);
      return [cell, { ...Object.fromEntries(said), diff }];
    }),
  );
}

/** The first attempt of each cell. */
async function cellsOf(dir: string): Promise<ReadonlyMap<string, CellRecord>> {
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
async function attempts(dir: string): Promise<readonly string[]> {
  const names = await readdir(join(dir, 'results-raw'), { recursive: true });
  const files = names.filter((name) => name.endsWith('/meta.json'));
  return files.map((name) => name.slice(0, -'/meta.json'.length)).sort();
}

async function quickstart(dir: string, kind: string, image: string): Promise<void> {
  await cp(QUICKSTART, dir, { recursive: true, filter: (path) => !MADE_HERE.test(path) });
  await execa(process.execPath, [join(QUICKSTART, 'make-app.mjs'), dir]);
  const file = join(dir, 'experiment.yml');
  const text = await readFile(file, 'utf8');
  const contained = text
    .replace('runtime: process', `runtime: ${kind}`)
    .replace('toolchain: node', `toolchain: node\n    image: '${image}'`);
  await writeFile(file, contained);
}

/** As a person does who needs room; what llmx has on record about it stays. */
async function removeTaskImage(lab: ContainerLab, kind: 'docker' | 'podman'): Promise<void> {
  const name = `${lab.appImage.split(':')[0] ?? ''}:task-split-rounding`;
  expect(await engineOf(kind).removeImage(name)).toBe(true);
}
