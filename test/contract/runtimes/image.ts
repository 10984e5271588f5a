import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerEngine } from '../../../src/runtimes/containers/engine.js';
import { packHostRoot } from '../../../src/runtimes/containers/host-root.js';

/** Of this process: two runs at the same time must not take each other's name away. */
const TAG = `llmx-contract-${process.pid}:latest`;

const PROGRAMS =
  'bash sh node git cat cp mv rm ls mkdir rmdir sleep env id ps grep sed tar touch chmod true false dd ' +
  'find head tail tr wc setsid kill printf date sort stat ln readlink dirname basename';

/**
 * An image of this machine's own programs, made without any registry.
 * @returns its id
 */
export async function contractImage(engine: ContainerEngine): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'llmx-contract-image-'));
  try {
    const missing = await packHostRoot(
      {
        programs: PROGRAMS.split(' '),
        files: ['/usr/share/git-core/templates'],
        users: [{ name: 'agent', id: 1001, home: '/home/agent' }],
      },
      join(dir, 'root.tar'),
    );
    if (missing.length > 0) throw new Error(`not on this machine: ${missing.join(', ')}`);
    await writeFile(join(dir, 'Dockerfile'), 'FROM scratch\nADD root.tar /\n');
    const log = join(dir, 'build.log');
    const build = { contextDir: dir, file: 'Dockerfile', buildArgs: {}, labels: {}, logFile: log };
    await engine.build({ ...build, tag: TAG, timeoutMs: 120_000 });
    const id = (await engine.image(TAG))?.id ?? null;
    if (id === null) throw new Error(`${TAG} was built and is not there`);
    return id;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export async function removeContractImage(engine: ContainerEngine): Promise<void> {
  await engine.removeImage(TAG);
}
