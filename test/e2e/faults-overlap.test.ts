import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { FaultLab, type AgentRun } from './support/fault-lab.js';

jest.setTimeout(180_000);

interface Started {
  readonly workflowId: string;
  readonly attached: boolean;
}

const labs: FaultLab[] = [];
async function newLab(...args: Parameters<typeof FaultLab.make>): Promise<FaultLab> {
  const lab = await FaultLab.make(...args);
  labs.push(lab);
  return lab;
}
afterEach(async () => {
  // Labs share folders: all have to stand still before any is removed.
  for (const lab of labs) await lab.stop();
  for (const lab of labs.splice(0)) await lab.remove();
});

/** Pairs of runs of which one began before the other had ended. */
function overlaps(runs: readonly AgentRun[]): number {
  const sorted = [...runs].sort((a, b) => Number(a.startNs - b.startNs));
  return sorted.filter((run, index) => {
    const before = sorted[index - 1];
    return before !== undefined && (before.endNs ?? run.startNs + 1n) > run.startNs;
  }).length;
}

describe('the same grid, started twice at the same moment', () => {
  it('is one grid, and both starts are told its id', async () => {
    const lab = await newLab();
    const starts = await Promise.all([
      lab.cli('start-grid', '--json'),
      lab.cli('start-grid', '--json'),
    ]);
    expect(starts.map(({ exit }) => exit)).toEqual([0, 0]);
    const [first, second] = starts.map((run) => run.json<Started>());
    expect(first?.workflowId).toBe(second?.workflowId);
    expect([first?.attached, second?.attached].sort()).toEqual([false, true]);
    await lab.cli('start-grid', '--wait');
    expect(await lab.runs()).toHaveLength(2);
    expect(await lab.attempts()).toHaveLength(2);
  });
});

describe('grids that overlap', () => {
  it('run no cell twice and no two trials at once', async () => {
    const lab = await newLab({ conditions: ['plain', 'hinted'] });
    await lab.script({ runMs: 300 });
    const ends = await Promise.all([
      lab.cli('start-grid', '--wait', '--json'),
      lab.cli('start-grid', '--wait', '--json', '--task', 't1'),
      lab.cli('start-grid', '--wait', '--json', '--agent', 'mine'),
    ]);
    expect(ends.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(new Set(ends.map((run) => run.json<Started>().workflowId)).size).toBe(3);
    const runs = await lab.runs();
    expect(runs).toHaveLength(4);
    expect(overlaps(runs)).toBe(0);
    expect((await lab.attempts()).map(({ meta }) => meta['status'])).toEqual(
      Array(4).fill('valid'),
    );
  });

  it('of two experiments on one server take turns', async () => {
    const first = await newLab({ name: 'first' });
    const second = await newLab({ name: 'second', stateDir: first.stateDir });
    for (const lab of [first, second]) await lab.script({ runMs: 300 });
    const ends = await Promise.all([
      first.cli('start-grid', '--wait', '--json'),
      second.cli('start-grid', '--wait', '--json'),
    ]);
    for (const end of ends) expect(end.json()).toMatchObject({ ok: true, total: 2, ran: 2 });
    const runs = [...(await first.runs()), ...(await second.runs())];
    expect(runs).toHaveLength(4);
    expect(overlaps(runs)).toBe(0);
  });

  it('of two state folders on one host take turns, and share the cells of one experiment', async () => {
    const first = await newLab();
    const second = first.withState('other-state');
    labs.push(second);
    await first.script({ runMs: 300 });
    const ends = await Promise.all([
      first.cli('start-grid', '--wait', '--json'),
      second.cli('start-grid', '--wait', '--json'),
    ]);
    for (const end of ends) expect(end.json()).toMatchObject({ ok: true, failures: [] });
    const runs = await first.runs();
    expect(runs).toHaveLength(2);
    expect(overlaps(runs)).toBe(0);
    expect(await first.attempts()).toHaveLength(2);
  });
});
