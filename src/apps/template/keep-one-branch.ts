import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFreshRepository } from '../../git/fresh-repository.js';
import { git, gitText, ordinary } from '../../git/git.js';
import { refuseOtherCommits } from './assemble-template.js';

/**
 * Makes of an assembled app that of one task. The branch of another task has this task's code without its
 * bug, so an agent that may read the whole app could look the fix up.
 * @throws LlmxError `template_not_flat`
 */
export async function keepOneBranch(input: {
  readonly app: string;
  readonly repoDir: string;
  /** Folder for what is needed meanwhile. */
  readonly workDir: string;
  readonly branch: string;
}): Promise<void> {
  const { app, repoDir, workDir, branch } = input;
  const repository = ordinary(repoDir);
  const ref = `refs/heads/${branch}`;
  const id = await gitText(repository, ['rev-parse', '--verify', '-q', `${ref}^{commit}`]);
  // The index still knows the files of the branch that is checked out, so that this changes few of them.
  await git(repository, ['read-tree', '--reset', '-u', id]);
  const gitDir = join(workDir, 'one.git');
  const excludeFile = join(repository.gitDir, 'info/exclude');
  await makeFreshRepository({
    gitDir,
    from: repository,
    refs: new Map([[ref, id]]),
    head: ref,
    exclude: existsSync(excludeFile) ? readFileSync(excludeFile, 'utf8') : null,
  });
  await rename(join(repository.gitDir, 'index'), join(gitDir, 'index'));
  await rm(repository.gitDir, { recursive: true });
  await rename(gitDir, repository.gitDir);
  await refuseOtherCommits(app, repoDir);
}
