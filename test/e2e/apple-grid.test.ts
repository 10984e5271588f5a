import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { standIn, type StandIn } from '../fixtures/apple-container/stand-in.js';
import { ContainerLab } from './support/container-lab.js';
import { exampleLab } from './support/quickstart.js';
import { cellsOf, outcomes, quickstartOn, type CellRecord } from './support/quickstart-cells.js';

jest.setTimeout(600_000);

/** A stand-in over podman that answers as Apple's CLI is documented to; no Mac has run this. */
describe('the quickstart grid on Apple’s container', () => {
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

  describe.each(['1.2.2'])('version %s', (version) => {
    const path = process.env['PATH'];
    let apple: StandIn;
    let lab: ContainerLab;
    let cells: ReadonlyMap<string, CellRecord>;

    beforeAll(async () => {
      apple = await standIn({ version });
      process.env['PATH'] = apple.path;
      lab = await ContainerLab.make('apple', 'ledger', (dir, image) =>
        quickstartOn(dir, 'apple', image),
      );
      await lab.must('start-grid', '--wait', '--json', '--approve-yellow');
      cells = await cellsOf(lab.dir);
    });
    afterAll(async () => {
      await lab.end();
      process.env['PATH'] = path;
      apple.remove();
    });

    it('says of each cell what it says on the host', () => {
      expect(onHost.size).toBe(8);
      expect(outcomes(cells)).toEqual(outcomes(onHost));
    });

    it('records that containers held it', () => {
      for (const { meta } of cells.values()) {
        expect(meta).toMatchObject({ runtime: 'apple', proof: 'container' });
      }
    });

    it('leaves no container', async () => {
      expect(await lab.containers()).toEqual([]);
    });
  });
});
