import type { Isolation } from '../../domain/trial/program-contract.js';
import { git, splitNul, type Repository } from '../../git/git.js';

export interface Inspection {
  readonly isolation: Isolation;
  readonly commitId: string;
  /** First file that is not as committed, as git prints it, or null. */
  readonly firstUnclean: string | null;
  /** Objects other than blobs, trees and commits. */
  readonly tags: number;
}

/** Asks git itself what is left, reading every object there is and not only what a ref reaches. */
export async function inspect(repository: Repository): Promise<Inspection> {
  const [refs, objects, status] = await Promise.all([
    git(repository, [
      'for-each-ref',
      '--format=%(refname)%09%(objectname)%09%(objectname:short) %(subject)',
    ]),
    git(repository, [
      'cat-file',
      '--batch-all-objects',
      '--unordered',
      '--batch-check=%(objecttype)',
    ]),
    // Writes what it learns into the index: the files were copied, so git has to read them all once.
    git(repository, [
      'status',
      '--porcelain=v1',
      '-z',
      '--untracked-files=all',
      '--ignore-submodules=all',
    ]),
  ]);
  const rows = refs.toString('utf8').split('\n').filter(Boolean);
  const fields = rows.map((row) => row.split('\t'));
  const types = objects.toString('latin1').split('\n');
  const unclean = splitNul(status);
  return {
    isolation: {
      branches: fields.map(([ref = '']) => ref.replace(/^refs\/heads\//, '')),
      commits: types.filter((type) => type === 'commit').length,
      head: fields[0]?.slice(2).join('\t') ?? '',
      clean: unclean.length === 0,
    },
    commitId: fields[0]?.[1] ?? '',
    firstUnclean: unclean[0]?.toString('utf8') ?? null,
    tags: types.filter((type) => type === 'tag').length,
  };
}

/** What is wrong with the isolation, in one sentence, or null. */
export function faultOf(inspection: Inspection, branch: string): string | null {
  const { branches, commits } = inspection.isolation;
  if (branches.length !== 1 || branches[0] !== branch) {
    return `refs left: ${branches.join(', ') || 'none'}; expected only ${branch}`;
  }
  if (commits !== 1 || inspection.tags > 0) {
    return `the repository holds ${commits} commits and ${inspection.tags} tags; expected one commit`;
  }
  if (inspection.firstUnclean !== null) {
    return `the checkout is not clean: ${inspection.firstUnclean.trim()}`;
  }
  return null;
}
