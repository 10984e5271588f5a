/** What a file system says no with, in words. Anything else is a fault of the program. */
const REFUSALS: Readonly<Record<string, string>> = {
  EROFS: 'it is read-only',
  EACCES: 'permission denied',
  EPERM: 'the system does not allow it',
  ENOTDIR: 'it is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links go in a circle',
  EIO: 'the disk reports an error',
  ENAMETOOLONG: 'its name is too long',
};

/** Why the file system refused; null for any other error. */
export function refusalOf(error: unknown): string | null {
  return REFUSALS[codeOf(error)] ?? null;
}

/** Nothing more fits on the disk, or in what this user may use of it. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  return (error as NodeJS.ErrnoException).code ?? '';
}
