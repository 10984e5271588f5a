import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findInstalledProgram,
  findProgram,
  PROGRAM_SOURCES,
} from '../../../src/temporal/find-program.js';
import { installWithGo } from '../../../src/temporal/go-install.js';
import { cachedProgram, type ProgramSource } from '../../../src/temporal/program-source.js';

const TEMPORAL = 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"';

let folder: string;
let env: Record<string, string>;
let notes: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llmx-program-'));
  env = { PATH: `${join(folder, 'path')}:/usr/bin:/bin`, LLMX_CACHE_DIR: join(folder, 'cache') };
  notes = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const note = (text: string): void => void notes.push(text);
/** Without the download, which would leave the machine. */
const offline = PROGRAM_SOURCES.filter(({ name }) => !name.includes('SDK'));
const quick = PROGRAM_SOURCES.filter((source) => source.quick);
const find = (sources: readonly ProgramSource[]): Promise<string> =>
  findProgram({ env, note }, sources);

async function program(path: string, script: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

describe('finding the Temporal program', () => {
  it('tries the sources of the design in their order', () => {
    expect(PROGRAM_SOURCES.map(({ name }) => name)).toEqual([
      'LLMX_TEMPORAL_BIN',
      'temporal on PATH',
      'llmx cache',
      'download by the Temporal SDK',
      'go install',
    ]);
  });

  it('prefers LLMX_TEMPORAL_BIN to PATH, and PATH to the cache', async () => {
    const cached = await program(cachedProgram(env), TEMPORAL);
    expect(await find(quick)).toBe(cached);
    const onPath = await program(join(folder, 'path', 'temporal'), TEMPORAL);
    expect(await find(quick)).toBe(onPath);
    env['LLMX_TEMPORAL_BIN'] = await program(join(folder, 'mine'), TEMPORAL);
    expect(await find(quick)).toBe(env['LLMX_TEMPORAL_BIN']);
    expect(await findInstalledProgram(env)).toBe(env['LLMX_TEMPORAL_BIN']);
  });

  it('goes on with the next source when LLMX_TEMPORAL_BIN does not run, and says so', async () => {
    const cached = await program(cachedProgram(env), TEMPORAL);
    env['LLMX_TEMPORAL_BIN'] = join(folder, 'nowhere');
    expect(await find(quick)).toBe(cached);
    expect(notes.join()).toContain('nowhere does not exist');
  });

  it('lists every source with its reason when none has it', async () => {
    env['LLMX_TEMPORAL_BIN'] = await program(join(folder, 'mine'), 'echo boom >&2; exit 3');
    await program(join(folder, 'path', 'temporal'), 'echo "temporal 0.1, a time tracker"');
    await program(join(folder, 'path', 'go'), 'echo "no network" >&2; exit 1');
    const failure = find(offline);
    await expect(failure).rejects.toMatchObject({ code: 'temporal_program_missing', exitCode: 4 });
    await expect(failure).rejects.toThrow(/LLMX_TEMPORAL_BIN: .*mine --version ended with 3: boom/);
    await expect(failure).rejects.toThrow(/temporal on PATH: .*"temporal 0.1, a time tracker"/);
    await expect(failure).rejects.toThrow(/llmx cache: .*does not exist/);
    await expect(failure).rejects.toThrow(/go install: .*ended with 1: no network/);
  });

  it('counts a source that breaks as one that failed', async () => {
    await writeFile(join(folder, 'cache'), 'a file where the cache should be');
    await program(join(folder, 'path', 'go'), 'exit 0');
    await expect(find(offline)).rejects.toMatchObject({ code: 'temporal_program_missing' });
  });
});

describe('go install', () => {
  /** A `go` that notes each build and leaves a Temporal program in GOBIN. */
  const fakeGo = (): Promise<string> =>
    program(
      join(folder, 'path', 'go'),
      `echo "$CGO_ENABLED $GOOS $*" >> '${join(folder, 'builds')}'
printf '%s\\n' '#!/bin/sh' '${TEMPORAL}' > "$GOBIN/temporal"
chmod +x "$GOBIN/temporal"`,
    );

  it('builds once into the cache when two ask at the same time, and the other waits', async () => {
    await fakeGo();
    env['GOOS'] = 'plan9';
    const found = await Promise.all([installWithGo({ env, note }), installWithGo({ env, note })]);
    const path = cachedProgram(env);
    expect(found).toEqual([
      { kind: 'found', path },
      { kind: 'found', path },
    ]);
    expect(await readFile(join(folder, 'builds'), 'utf8')).toBe(
      '0  install -ldflags -s -w github.com/temporalio/cli/cmd/temporal@v1.5.1\n',
    );
    expect(notes.filter((text) => text.includes('2 to 3 minutes'))).toHaveLength(1);
    expect(notes.filter((text) => text.includes('waiting'))).toHaveLength(1);
  });

  it('leaves nothing but the program, also of a build that was killed', async () => {
    await fakeGo();
    const bin = join(folder, 'cache', 'bin');
    await mkdir(join(bin, '.making-killed'), { recursive: true });
    await installWithGo({ env, note });
    expect(await readdir(bin)).toEqual(['temporal']);
  });

  it('keeps a build that does not run out of the cache', async () => {
    await program(
      join(folder, 'path', 'go'),
      'printf "#!/bin/sh\\nexit 9\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"',
    );
    expect(await installWithGo({ env, note })).toMatchObject({ kind: 'failed' });
    expect(await readdir(join(folder, 'cache', 'bin'))).toEqual([]);
  });
});
