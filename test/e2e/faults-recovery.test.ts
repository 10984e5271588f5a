import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findMarked } from '../../src/runtimes/marked-processes.js';
import { stateLayout, type StateLayout } from '../../src/storage/state-layout.js';
import { isAlive, type ProcessIdentity } from '../../src/support/process-identity.js';
import { sha256 } from '../../src/support/hash.js';
import { findInstalledProgram } from '../../src/temporal/find-program.js';
import { readServerRecord, serverAddress } from '../../src/temporal/server-record.js';
import { readWorkerRecord } from '../../src/temporal/worker-record.js';
import { readOwner } from '../../src/trial/owner.js';
import { stateIdOf } from '../../src/trial/ids.js';
import { trialFiles } from '../../src/trial/trial-files.js';
import { runCommand } from '../../src/support/run-command.js';
import { FaultLab } from './support/fault-lab.js';

jest.setTimeout(180_000);

let lab: FaultLab;
let state: StateLayout;

beforeEach(async () => {
  lab = await FaultLab.make();
  state = stateLayout(lab.stateDir);
});
afterEach(async () => {
  await lab.stop();
  await lab.remove();
});

async function start(...flags: readonly string[]): Promise<string> {
  const run = await lab.cli('start-grid', '--json', ...flags);
  expect(run.exit).toBe(0);
  return run.json<{ workflowId: string }>().workflowId;
}

function statuses(): Promise<readonly unknown[]> {
  return lab.attempts().then((all) => all.map(({ meta }) => meta['status']));
}

/** Supervisors of this state folder that run now. */
async function supervisors(): Promise<readonly ProcessIdentity[]> {
  const owners = (await readdir(state.trialsDir).catch(() => [])).map((name) =>
    readOwner(trialFiles(state.trialDir(name)).owner),
  );
  return (await Promise.all(owners)).flatMap((owner) =>
    owner === null || owner.fenced || !isAlive(owner) ? [] : [owner],
  );
}

function kill(pid: number | undefined): void {
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
}

describe('a trial that runs while its grid is lost', () => {
  it('is adopted by the next start when the workflow was terminated', async () => {
    await lab.script({ runMs: 3_000 });
    const following = lab.cli('start-grid', '--wait', '--json');
    await lab.agentStarts(1);
    const { workflowId } = await lab.status();
    const server = await readServerRecord(state);
    const temporal = (await findInstalledProgram(process.env)) ?? 'temporal';
    const address = server === null ? '' : serverAddress(server);
    const options = ['--workflow-id', workflowId, '--address', address];
    const ended = await runCommand([temporal, 'workflow', 'terminate', ...options]);
    expect(ended).toMatchObject({ ok: true });
    expect((await following).json()).toMatchObject({
      error: { code: 'grid_failed' },
    });
    await start();
    await lab.resultsOnDisk(2);
    expect(await lab.runs()).toHaveLength(2);
    expect(await statuses()).toEqual(['valid', 'valid']);
  });

  it('is adopted by the next start when the server has lost its database', async () => {
    await lab.script({ runMs: 5_000 });
    await start();
    await lab.agentStarts(1);
    kill((await readServerRecord(state))?.process?.pid);
    for (const suffix of ['', '-wal', '-shm']) {
      await rm(`${state.databaseFile}${suffix}`, { force: true });
    }
    await start();
    await lab.resultsOnDisk(2);
    expect(await lab.runs()).toHaveLength(2);
    expect(await statuses()).toEqual(['valid', 'valid']);
  });
});

describe('after a reboot', () => {
  /** Everything of the state folder ends at once, and its records are of an earlier boot. */
  async function reboot(): Promise<void> {
    const found = await findMarked({ stateId: stateIdOf(state.root), trialHash: null, root: null });
    kill((await readServerRecord(state))?.process?.pid);
    kill((await readWorkerRecord(state))?.process?.pid);
    for (const { pid } of await supervisors()) kill(pid);
    for (const { pid } of found) kill(pid);
    const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const records = [state.root, join(lab.dir, 'results-raw')].map((folder) =>
      readdir(folder, { recursive: true, withFileTypes: true }),
    );
    for (const entry of (await Promise.all(records)).flat()) {
      if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
      const file = join(entry.parentPath, entry.name);
      const text = await readFile(file, 'utf8');
      if (text.includes(bootId)) await writeFile(file, text.replaceAll(bootId, 'an-earlier-boot'));
    }
  }

  it('status alone brings the grid back; the trial that ran is void and its cell runs again', async () => {
    await lab.script({ runMs: 60_000 });
    await start();
    await lab.agentStarts(1);
    await reboot();
    await lab.script({});
    const status = await lab.cli('status', '--json');
    expect(status.exit).toBe(0);
    expect(status.stderr).toMatch(/server .*is gone; starting it again/);
    expect(status.stderr).toMatch(/worker .*is gone; starting it again/);
    await lab.resultsOnDisk(2);
    const metas = (await lab.attempts()).map(({ meta }) => meta);
    expect(metas.map((meta) => meta['aborted'] ?? meta['status'])).toEqual([
      'supervisor_died',
      'valid',
      'valid',
    ]);
    expect(await lab.runs()).toHaveLength(3);
  });
});

describe('a worker of another version', () => {
  it('is replaced while its trial goes on, which is collected and run once', async () => {
    await lab.script({ runMs: 6_000 });
    await start();
    await lab.agentStarts(1);
    const old = await readWorkerRecord(state);
    await writeFile(state.workerFile, JSON.stringify({ ...old, version: '0.0.1' }));
    const status = await lab.cli('status');
    expect(status.stderr).toContain('the worker is of version 0.0.1');
    const replaced = await readWorkerRecord(state);
    expect(replaced?.process?.pid).not.toBe(old?.process?.pid);
    expect(await supervisors()).toHaveLength(1);
    await lab.resultsOnDisk(2);
    expect(await lab.runs()).toHaveLength(2);
    expect(await statuses()).toEqual(['valid', 'valid']);
  });
});

describe('an experiment that is edited while its grid runs', () => {
  it('is run as it was when the grid started, and the next start says what changed', async () => {
    const edited = await FaultLab.make({ oracle: true, stateDir: lab.stateDir });
    await edited.script({ runMs: 1_500 });
    await edited.cli('start-grid', '--task', 't2', '--json');
    await edited.agentStarts(1);
    const prompt = join(edited.dir, 'prompts', 'app', 't2', 'plain.txt');
    const frozen = sha256(await readFile(prompt));
    await writeFile(prompt, 'something else\n');
    await writeFile(join(edited.dir, 'solutions', 't2.patch'), 'no patch\n');
    const file = join(edited.dir, 'experiment.yml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('timeout_seconds: 60', 'timeout_seconds: 61'));

    await edited.resultsOnDisk(2);
    for (const { meta } of await edited.attempts()) {
      expect(meta).toMatchObject({ status: 'valid', passed: true, prompt_sha256: frozen });
    }
    const flags = ['--redo-done', '--task', 't2', '--agent', 'fix', '--wait', '--json'];
    const again = await edited.cli('start-grid', ...flags);
    for (const change of ['experiment.yml', 'prompt app/t2/plain', 'solution solutions/t2.patch']) {
      expect(again.stderr).toContain(`changed since the last start: ${change} changed`);
    }
    const last = (await edited.attempts()).at(-1);
    expect(last?.meta).toMatchObject({ prompt_sha256: sha256('something else\n') });
    expect(last?.meta['passed']).not.toBe(true);
    await rm(edited.root, { recursive: true });
  });
});
