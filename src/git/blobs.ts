import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** Larger files are named in the lists, but their content is not recorded. */
export const LARGEST_RECORDED_BYTES = 100 * 1024 * 1024;

export interface BlobStore {
  /** `objects` folder to write to. */
  readonly objectsDir: string;
  /** 40 for sha1 repositories, 64 for sha256. */
  readonly objectIdLength: number;
}

/** `absent`: nothing there that git could hold. `unrecorded`: too large, or it can't be read. */
export type Recorded =
  | { readonly kind: 'blob'; readonly mode: string; readonly id: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unrecorded' };

/**
 * Stores a file or a link byte by byte. Without git: no filter, encoding or line ending of an attribute file
 * the agent wrote can change what is recorded, and a named pipe is not opened.
 */
export function recordFile(path: Buffer, store: BlobStore): Recorded {
  let isLink: boolean;
  let content: Buffer;
  let isExecutable = false;
  try {
    const stat = lstatSync(path);
    isLink = stat.isSymbolicLink();
    if (!isLink && !stat.isFile()) return { kind: 'absent' };
    if (stat.size > LARGEST_RECORDED_BYTES) return { kind: 'unrecorded' };
    isExecutable = (stat.mode & 0o100) !== 0;
    content = isLink ? readlinkSync(path, { encoding: 'buffer' }) : readRegular(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unrecorded' };
  }
  const mode = isLink ? '120000' : isExecutable ? '100755' : '100644';
  return { kind: 'blob', mode, id: storeBlob(content, store) };
}

function readRegular(path: Buffer): Buffer {
  // Not blocking and not following: the file may be swapped by a process that is still alive.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('no longer a regular file');
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function storeBlob(content: Buffer, store: BlobStore): string {
  const header = Buffer.from(`blob ${content.length}\0`);
  const algorithm = store.objectIdLength === 64 ? 'sha256' : 'sha1';
  const id = createHash(algorithm).update(header).update(content).digest('hex');
  const file = join(store.objectsDir, id.slice(0, 2), id.slice(2));
  mkdirSync(dirname(file), { recursive: true });
  // These objects live for a moment: packing them well is not worth the time.
  writeFileSync(file, deflateSync(Buffer.concat([header, content]), { level: 0 }));
  return id;
}
