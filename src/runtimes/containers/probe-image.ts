import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callEngine } from './engine-call.js';
import { packHostRoot } from './host-root.js';

/** A few programs of this machine: enough to see whether a container starts. */
export const PROBE_IMAGE = 'localhost/llmx-probe:latest';

/** @returns false where no such image can be made (the engine runs another system than this one) */
export async function importProbeImage(kind: 'docker' | 'podman'): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  if ((await callEngine([kind, 'image', 'inspect', PROBE_IMAGE])).ok) return true;
  const dir = await mkdtemp(join(tmpdir(), 'llmx-probe-'));
  try {
    const tar = join(dir, 'root.tar');
    await packHostRoot({ programs: ['true'], files: [], users: [] }, tar);
    return (await callEngine([kind, 'import', tar, PROBE_IMAGE])).ok;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
