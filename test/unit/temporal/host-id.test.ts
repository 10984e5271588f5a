import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateLayout, type StateLayout } from '../../../src/storage/state-layout.js';
import { hostId, readHostId } from '../../../src/temporal/host-id.js';

let folder: string;
let state: StateLayout;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-host-'));
  state = stateLayout(join(folder, 'state'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('hostId', () => {
  it('is derived: the same again after the state folder was deleted', async () => {
    const first = await hostId(state);
    expect(first).toMatch(/^[0-9a-f]{12}$/);
    await rm(state.root, { recursive: true });
    expect(await hostId(state)).toBe(first);
  });

  it('differs between two state folders of one machine', async () => {
    expect(await hostId(stateLayout(join(folder, 'other')))).not.toBe(await hostId(state));
  });

  it('stays as it was written, whatever the machine is called later', async () => {
    await hostId(state);
    await writeFile(state.hostIdFile, '0123456789ab\n');
    expect(await hostId(state)).toBe('0123456789ab');
  });

  it('is the same for all who ask at once, in a folder closed to others', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => hostId(state)));
    expect(new Set(ids).size).toBe(1);
    expect((await stat(state.root)).mode & 0o777).toBe(0o700);
    expect((await stat(state.hostIdFile)).mode & 0o777).toBe(0o600);
  });

  it('is unknown before anything was started', async () => {
    expect(await readHostId(state)).toBeNull();
  });

  it('names a state folder that cannot be made', async () => {
    await writeFile(join(folder, 'file'), '');
    const blocked = hostId(stateLayout(join(folder, 'file', 'state')));
    await expect(blocked).rejects.toMatchObject({
      code: 'state_folder_unusable',
      message: expect.stringContaining(join(folder, 'file', 'state')),
    });
  });
});
