import { git, splitNul, type Repository } from '../../git/git.js';

/** Brings a checkout back to its commit. Ignored files stay: dependencies, caches, the database. */
export async function restore(repository: Repository): Promise<void> {
  if ((await firstUnclean(repository)) === null) return;
  await git(repository, ['reset', '-q', '--hard']);
  await git(repository, ['clean', '-ffdq']);
  const left = await firstUnclean(repository);
  if (left !== null) throw new Error(`the checkout can't be restored: ${left.trim()}`);
}

async function firstUnclean(repository: Repository): Promise<string | null> {
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
  ];
  return splitNul(await git(repository, args))[0]?.toString('utf8') ?? null;
}
