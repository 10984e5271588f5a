import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveServer } from '../../../src/temporal/resolve-address.js';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-address-'));
  file = join(folder, 'temporal.toml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  TEMPORAL_CONFIG_FILE: file,
  ...more,
});

describe('resolveServer', () => {
  it('means the embedded server when no address is configured', async () => {
    expect(await resolveServer({ env: env() })).toEqual({ kind: 'embedded' });
    expect(await resolveServer({ env: env({ TEMPORAL_ADDRESS: '' }) })).toEqual({
      kind: 'embedded',
    });
    await writeFile(file, '[profile.default]\nnamespace = "other"\n');
    expect(await resolveServer({ env: env() })).toEqual({ kind: 'embedded' });
  });

  it('prefers the flag to the variable, and the variable to the profile', async () => {
    await writeFile(file, '[profile.default]\naddress = "profile:1"\nnamespace = "mine"\n');
    const profile = await resolveServer({ env: env() });
    expect(profile).toMatchObject({ address: 'profile:1', namespace: 'mine' });
    const variable = await resolveServer({ env: env({ TEMPORAL_ADDRESS: 'variable:2' }) });
    expect(variable).toMatchObject({ address: 'variable:2', source: 'TEMPORAL_ADDRESS' });
    const flag = await resolveServer({
      env: env({ TEMPORAL_ADDRESS: 'variable:2' }),
      address: 'flag:3',
    });
    expect(flag).toMatchObject({ address: 'flag:3', source: '--address', namespace: 'mine' });
  });

  it('takes a named profile with its key and TLS', async () => {
    await writeFile(file, '[profile.cloud]\naddress = "cloud:7233"\napi_key = "k"\n');
    expect(await resolveServer({ env: env({ TEMPORAL_PROFILE: 'cloud' }) })).toEqual({
      kind: 'configured',
      source: 'profile cloud of temporal.toml',
      address: 'cloud:7233',
      namespace: 'default',
      credentials: { apiKey: 'k', tls: true },
    });
  });

  it.each([
    ['localhost', 'localhost:7233'],
    ['10.0.0.1:80', '10.0.0.1:80'],
    ['[::1]:7', '[::1]:7'],
  ])('reads %s as %s', async (address, expected) => {
    expect(await resolveServer({ env: env(), address })).toMatchObject({ address: expected });
  });

  it.each(['http://host:7233', 'host:port', 'host:0', 'host:70000', 'a b', '::1', ''])(
    'refuses "%s" as an address',
    async (address) => {
      await expect(resolveServer({ env: env(), address })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(`"${address}" (--address)`),
      });
    },
  );

  it.each([
    ['a profile that is not there', '', { TEMPORAL_PROFILE: 'nosuch' }, 'nosuch'],
    ['a broken file', '[profile', {}, ''],
  ])('refuses %s as bad settings', async (_what, content, more, said) => {
    await writeFile(file, content);
    await expect(resolveServer({ env: env(more) })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(said),
    });
  });
});
