import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { slug } from '../../domain/slug.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { isErrno } from '../../support/atomic-file.js';
import { makeSampleApp } from './sample-app.js';
import { APP_DIR, scaffoldFiles, SOLUTION } from './scaffold.js';

/** A folder that has one already keeps it: its other lines are the user's. */
const MAY_BE_THERE = ['.gitignore'];

/** Moved last: without it the folder is no experiment. */
const LAST = 'experiment.yml';

export interface MadeExperiment {
  readonly files: readonly string[];
  /** What was there before and was left alone. */
  readonly kept: readonly string[];
}

/**
 * Makes a whole experiment in the folder, or nothing.
 * @throws LlmxError `init_exists`, `init_failed`
 */
export async function makeExperiment(folder: string): Promise<MadeExperiment> {
  const files = scaffoldFiles(slug(basename(folder)));
  const names = topNames([...Object.keys(files), SOLUTION, `${APP_DIR}/.git`]);
  const there = await existing(folder, names);
  const inTheWay = there.filter((name) => !MAY_BE_THERE.includes(name));
  if (inTheWay.length > 0) {
    throw new LlmxError('init_exists', { folder, names: inTheWay.join(', ') });
  }
  let created: string | undefined;
  try {
    created = await mkdir(folder, { recursive: true });
    await build(
      folder,
      files,
      names.filter((name) => !there.includes(name)),
    );
  } catch (error) {
    if (created !== undefined) await rm(created, { recursive: true, force: true });
    throw asInitError(error, folder);
  }
  const made = [...Object.keys(files), SOLUTION].filter((file) => !there.includes(file)).sort();
  return { files: [...made, `${APP_DIR}/`], kept: there };
}

/** Everything is made in a folder beside its place, then moved; a failed move undoes those before it. */
async function build(
  folder: string,
  files: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<void> {
  const stage = await mkdtemp(join(folder, '.llmx-init-'));
  const moved: string[] = [];
  try {
    await mkdir(join(stage, APP_DIR));
    const solution = await makeSampleApp(join(stage, APP_DIR));
    for (const [path, content] of Object.entries({ ...files, [SOLUTION]: solution })) {
      await mkdir(dirname(join(stage, path)), { recursive: true });
      await writeFile(join(stage, path), content);
    }
    for (const name of names) {
      await rename(join(stage, name), join(folder, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

function topNames(paths: readonly string[]): readonly string[] {
  const names = new Set(paths.map((path) => path.split('/')[0] ?? path));
  names.delete(LAST);
  return [...names, LAST];
}

async function existing(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const present = await readdir(folder).catch((error: unknown): readonly string[] => {
    if (isErrno(error, 'ENOENT')) return [];
    throw asInitError(error, folder);
  });
  // A link that leads nowhere is listed too, and would be overwritten.
  return names.filter((name) => present.includes(name));
}

function asInitError(error: unknown, folder: string): LlmxError {
  const hint = 'llmx-client init ~/my-experiment';
  if (error instanceof LlmxError) return new LlmxError(error.code, { ...error.params, folder });
  const { code, message } = error as NodeJS.ErrnoException;
  return new LlmxError('init_failed', { folder, reason: code ?? message, hint }, { cause: error });
}
