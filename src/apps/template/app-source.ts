import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LlmxError } from '../../errors/llmx-error.js';
import type { KnownCommits } from '../../storage/app-commits.js';
import { appVariable } from '../../storage/checkout.js';
import { runCommand } from '../../support/run-command.js';
import { makeEmptyGitDir } from '../../git/fresh-repository.js';
import { gitEnv, gitText, type Repository } from '../../git/git.js';

/** Commits of an app as the frozen plan has them. */
export interface AppCommits {
  readonly base: string | null;
  readonly tasks: Readonly<Record<string, string>>;
}

/** The commits of an app as far as its branches were there; a task without one has no part in it. */
export function knownBranches({ base, tasks }: KnownCommits): AppCommits {
  const known = Object.entries(tasks).filter((pair): pair is [string, string] => pair[1] !== null);
  return { base, tasks: Object.fromEntries(known) };
}

/**
 * A bare repository of our own that borrows the objects of the app's checkout. Nothing else of the checkout
 * is seen: no config, hook, ref, stash or untracked file. Bare, shallow and linked checkouts are all the same.
 * @throws LlmxError `checkout_unusable`
 */
export async function openSource(
  app: string,
  checkout: string,
  gitDir: string,
): Promise<Repository> {
  const { objectsDir, format } = await locateObjects(app, checkout);
  const objectIdLength = format === 'sha256' ? 64 : 40;
  makeEmptyGitDir(gitDir, { objectIdLength, head: 'refs/heads/none', bare: true });
  writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), `${objectsDir}\n`);
  return { gitDir, workTree: null };
}

async function locateObjects(
  app: string,
  checkout: string,
): Promise<{ readonly objectsDir: string; readonly format: string }> {
  const { GIT_DIR: _searched, ...env } = gitEnv({ gitDir: '', workTree: null });
  const found = await runCommand(
    [
      'git',
      // The folder may belong to somebody else; only its objects are read.
      '-c',
      'safe.directory=*',
      '-C',
      checkout,
      'rev-parse',
      '--path-format=absolute',
      '--git-path',
      'objects',
      '--show-object-format',
    ],
    { env },
  );
  const [objectsDir, format] = found.stdout.split('\n');
  if (found.ok && objectsDir !== undefined && format !== undefined) return { objectsDir, format };
  const reason = found.notFound ? 'git is not installed' : `${checkout} is not a git checkout`;
  throw unusable(app, reason, 'git');
}

/** The tree of one commit, or an error that names the task. */
export async function treeOf(
  source: Repository,
  commit: { readonly app: string; readonly what: string; readonly id: string },
): Promise<string> {
  try {
    return await gitText(source, ['rev-parse', '--verify', '-q', `${commit.id}^{tree}`]);
  } catch (cause) {
    const problem = `commit ${commit.id.slice(0, 12)} of ${commit.what} is not in the checkout`;
    throw unusable(commit.app, problem, 'commit', cause);
  }
}

function unusable(
  app: string,
  problem: string,
  kind: 'git' | 'commit',
  cause?: unknown,
): LlmxError {
  const hint =
    kind === 'git' ? `export ${appVariable(app)}=/path/to/the/checkout` : 'llmx-client start-grid';
  return new LlmxError('checkout_unusable', { app, problem, hint }, { cause });
}
