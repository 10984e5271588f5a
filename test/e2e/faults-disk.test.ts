import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateLayout } from '../../src/storage/state-layout.js';
import type { CliRun } from '../fixtures/built-cli.js';
import { Disk, withDisks } from '../fixtures/faults/disks.js';
import { FaultLab } from './support/fault-lab.js';

jest.setTimeout(180_000);

let lab: FaultLab;
const disks: Disk[] = [];

afterEach(async () => {
  await lab.stop();
  for (const disk of disks.splice(0)) disk.remove();
  await lab.remove();
});

function newDisk(sizeMb: number): Disk {
  const disk = Disk.make(sizeMb);
  disks.push(disk);
  return disk;
}

async function start(): Promise<string> {
  const run = await lab.cli('start-grid', '--json');
  expect(run.exit).toBe(0);
  return run.json<{ workflowId: string }>().workflowId;
}

async function endings(): Promise<readonly unknown[]> {
  return (await lab.attempts()).map(({ meta }) => meta['aborted'] ?? meta['status']);
}

/** Exit, code and no trace of llmx's own lines. */
function expectRefusal(run: CliRun, exit: number, code: string): void {
  expect(run.json()).toMatchObject({ error: { code } });
  expect(run.exit).toBe(exit);
  expect(run.stderr).not.toMatch(/^\s+at /m);
}

withDisks('grids whose disks are full or read-only', () => {
  describe('a disk that fills up during a trial', () => {
    /** The grid pauses at the disk check, and goes on when there is room again and somebody says so. */
    async function expectPauseAndResume(disk: Disk): Promise<void> {
      const workflowId = await start();
      const paused = await lab.statusWith('paused');
      expect(paused.reason).toMatch(/^0\.0 GB free at .*; 0\.02 GB are needed$/);
      expect(await endings()).toEqual(['disk_full']);
      await lab.script({});
      disk.free();
      expect((await lab.cli('resume', workflowId)).exit).toBe(0);
      await lab.statusWith('done');
      expect(await endings()).toEqual(['disk_full', 'valid', 'valid']);
      expect((await lab.status()).pending).toBe(0);
    }

    it('with the results pauses the grid until there is room again', async () => {
      const disk = newDisk(64);
      lab = await FaultLab.make({ dir: join(disk.dir, 'experiment'), minFreeGb: 0.02 });
      await lab.script({ fill: disk.filler });
      await expectPauseAndResume(disk);
    });

    it('with the state folder pauses the grid until there is room again', async () => {
      const disk = newDisk(160);
      lab = await FaultLab.make({ stateDir: join(disk.dir, 'state'), minFreeGb: 0.02 });
      // What the sandbox took is free again when it is removed: the server needs a little to go on.
      await lab.script({ insideMb: 12, fill: disk.filler });
      await expectPauseAndResume(disk);
    });
  });

  describe('a results folder that is read-only', () => {
    it('is RED before anything runs', async () => {
      lab = await FaultLab.make();
      const disk = Disk.bind(lab.dir);
      disks.push(disk);
      disk.readOnly = true;
      const red = await lab.cli('start-grid', '--json');
      expectRefusal(red, 3, 'preflight_red');
      expect(red.stdout).toContain('the experiment folder: it is read-only');
      expect(await lab.runs()).toEqual([]);
    });

    it('when a trial ends keeps its result, and the next start collects it', async () => {
      lab = await FaultLab.make();
      const disk = Disk.bind(lab.dir);
      disks.push(disk);
      await lab.script({ runMs: 1_500 });
      const following = lab.cli('start-grid', '--wait', '--json');
      await lab.agentStarts(1);
      disk.readOnly = true;
      const ended = await following;
      expect(ended.exit).toBe(5);
      expect(ended.json()).toMatchObject({ stopped: 'paused', failures: [] });
      expect((await lab.status()).reason).toContain('it is read-only');
      expect(ended.stderr).not.toMatch(/^\s+at /m);
      expect(await endings()).toEqual([]);
      disk.readOnly = false;
      const { workflowId } = ended.json<{ workflowId: string }>();
      expect((await lab.cli('resume', workflowId)).exit).toBe(0);
      const rest = await lab.cli('start-grid', '--wait', '--json');
      expect(rest.json()).toMatchObject({ ok: true });
      expect(await endings()).toEqual(['valid', 'valid']);
      expect(await lab.runs()).toHaveLength(2);
    });
  });
});

describe('records that are damaged', () => {
  it('results-raw that is a file is said by every command that needs it', async () => {
    lab = await FaultLab.make();
    await writeFile(join(lab.dir, 'results-raw'), '');
    for (const command of ['plan', 'status', 'start-grid', 'doctor']) {
      expectRefusal(await lab.cli(command, '--json'), 2, 'results_unusable');
    }
  });

  it('a meta.json without its end is named, and its cell runs again', async () => {
    lab = await FaultLab.make();
    await lab.cli('start-grid', '--wait', '--json', '--task', 't1');
    const [attempt] = await lab.attempts();
    const file = join(attempt?.dir ?? '', 'meta.json');
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 100));
    for (const command of ['plan', 'status']) {
      const { stderr } = await lab.cli(command, '--json');
      expect(stderr).toMatch(/results-raw\/t1\/mine\/plain\/\w+\/meta\.json is damaged/);
    }
    const again = await lab.cli('start-grid', '--wait', '--json', '--task', 't1');
    expect(again.json()).toMatchObject({ ok: true, total: 1, ran: 1 });
    expect(await readFile(file, 'utf8')).toHaveLength(100);
    expect(await lab.runs()).toHaveLength(2);
  });

  it('every record of the state folder, while a trial runs, costs neither a trial nor a result', async () => {
    lab = await FaultLab.make();
    const state = stateLayout(lab.stateDir);
    await lab.script({ runMs: 3_000 });
    await start();
    await lab.agentStarts(1);
    const folders = [state.experimentsDir, state.trialsDir];
    const below = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
      ),
    );
    const records = below
      .flat()
      .filter((file) => /(entry|latest|progress)\.json$|\/runs\//.test(file));
    expect(records.length).toBeGreaterThanOrEqual(4);
    for (const file of [state.serverFile, state.workerFile, ...records])
      await writeFile(file, '{"a');
    const next = await lab.cli('start-grid', '--wait', '--json');
    expect(next.stderr).toMatch(/stopping a worker \(pid \d+\) that is not recorded/);
    await lab.cli('start-grid', '--wait', '--json');
    expect(await endings()).toEqual(['valid', 'valid']);
    expect(await lab.runs()).toHaveLength(2);
  });
});
