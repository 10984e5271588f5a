import { mkdtemp, rm, symlink } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What every system takes as the address of a unix socket; macOS has 104 bytes with the final zero. */
const MAX_PATH_BYTES = 100;

/**
 * Makes a server listen at a unix socket that every user may open: who gets there is decided by the folders
 * above it. The address goes through a short link that is gone afterwards. So the path may be of any length,
 * and Node, which removes the address when the server closes, finds nothing: by then somebody else may own
 * that folder and have put another in its place.
 */
export async function listenAt(server: Server, socketPath: string): Promise<void> {
  const dir = await shortFolder();
  try {
    const link = join(dir, 's');
    await symlink(dirname(socketPath), link);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const path = join(link, basename(socketPath));
      server.listen({ path, readableAll: true, writableAll: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function shortFolder(): Promise<string> {
  const isShort = Buffer.byteLength(tmpdir()) <= MAX_PATH_BYTES - 50;
  return mkdtemp(join(isShort ? tmpdir() : '/tmp', 'llmx-net-'));
}
