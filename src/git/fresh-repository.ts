import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, type Repository } from './git.js';

export interface FreshRepository {
  /** Folder to make; it must not exist. */
  readonly gitDir: string;
  /** Where the objects come from. */
  readonly from: Repository;
  /** Full ref name to commit id. */
  readonly refs: ReadonlyMap<string, string>;
  /** Ref that HEAD names. */
  readonly head: string;
  /** Content of `info/exclude`, or null. */
  readonly exclude: string | null;
}

/**
 * Makes a repository that holds exactly what the refs reach. Building a new one says more than cleaning an
 * old one: no reflog, stash, hook, remote, tag or unreachable object has to be thought of to be gone.
 */
export async function makeFreshRepository(fresh: FreshRepository): Promise<void> {
  const ids = [...new Set(fresh.refs.values())];
  makeEmptyGitDir(fresh.gitDir, { objectIdLength: ids[0]?.length ?? 40, head: fresh.head });
  if (fresh.exclude !== null) writeFileSync(join(fresh.gitDir, 'info', 'exclude'), fresh.exclude);
  for (const [ref, id] of fresh.refs) {
    const file = join(fresh.gitDir, ref);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${id}\n`);
  }
  await git(
    fresh.from,
    [
      'pack-objects',
      '--revs',
      '-q',
      '--delta-base-offset',
      join(fresh.gitDir, 'objects/pack/pack'),
    ],
    { input: `${ids.join('\n')}\n` },
  );
}

/** The files that make a folder a repository; no hooks, no samples, no template. */
export function makeEmptyGitDir(
  gitDir: string,
  options: { readonly objectIdLength: number; readonly head: string; readonly bare?: boolean },
): void {
  for (const folder of ['objects/pack', 'objects/info', 'refs/heads', 'info']) {
    mkdirSync(join(gitDir, folder), { recursive: true });
  }
  writeFileSync(join(gitDir, 'HEAD'), `ref: ${options.head}\n`);
  writeFileSync(join(gitDir, 'config'), config(options.objectIdLength, options.bare === true));
}

function config(objectIdLength: number, bare: boolean): string {
  const sha256 = objectIdLength === 64;
  return [
    '[core]',
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    '\tfilemode = true',
    `\tbare = ${bare}`,
    // What `git init` finds out about the file system there.
    ...(process.platform === 'darwin' ? ['\tignorecase = true', '\tprecomposeunicode = true'] : []),
    ...(sha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    // An agent that commits must not fail for want of a name, nor start a job that outlives it.
    '[user]',
    '\tname = llmx',
    '\temail = llmx@localhost',
    '[gc]',
    '\tauto = 0',
    '[maintenance]',
    '\tauto = false',
    '',
  ].join('\n');
}
