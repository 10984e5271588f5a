import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { engineOf } from '../../src/runtimes/containers/engines.js';
import { pollUntil } from '../../src/support/poll.js';
import { ContainerLab, enginesHere } from './support/container-lab.js';
import { exampleLab } from './support/quickstart.js';
import {
  attempts,
  cellsOf,
  outcomes,
  quickstartOn,
  type CellRecord,
} from './support/quickstart-cells.js';

jest.setTimeout(600_000);

const ENGINES = await enginesHere();
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
      lab = await ContainerLab.make(kind, 'ledger', (dir, image) => quickstartOn(dir, kind, image));
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

/** As a person does who needs room; what llmx has on record about it stays. */
async function removeTaskImage(lab: ContainerLab, kind: 'docker' | 'podman'): Promise<void> {
  const name = `${lab.appImage.split(':')[0] ?? ''}:task-split-rounding`;
  expect(await engineOf(kind).removeImage(name)).toBe(true);
}
