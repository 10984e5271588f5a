import { mkdir, readFile, rm } from 'node:fs/promises';
import type { StateLayout } from '../../storage/state-layout.js';
import { isErrno, writeJsonAtomic } from '../../support/atomic-file.js';

type Places = Pick<StateLayout, 'imagesDir' | 'imageRecord'>;

/** Which image belongs to an input, so that a trial need not ask the engine. */
export interface ImageRecord {
  readonly schemaVersion: 1;
  readonly imageId: string;
  readonly reference: string;
}

export async function readImageRecord(places: Places, key: string): Promise<ImageRecord | null> {
  try {
    const record = JSON.parse(await readFile(places.imageRecord(key), 'utf8')) as ImageRecord;
    return record.schemaVersion === 1 && typeof record.imageId === 'string' ? record : null;
  } catch (error) {
    // None yet, or damaged: the engine knows.
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}

export async function writeImageRecord(
  places: Places,
  key: string,
  record: Omit<ImageRecord, 'schemaVersion'>,
): Promise<void> {
  await mkdir(places.imagesDir, { recursive: true, mode: 0o700 });
  const content: ImageRecord = { schemaVersion: 1, ...record };
  await writeJsonAtomic(places.imageRecord(key), content, { mode: 0o600, sync: 'nothing' });
}

/** After another base image was made, or images were removed: the engine is asked again for each. */
export async function forgetImages(places: Pick<StateLayout, 'imagesDir'>): Promise<void> {
  await rm(places.imagesDir, { recursive: true, force: true });
}
