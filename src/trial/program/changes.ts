import type { Changes, ProgramSpec } from '../../domain/trial/program-contract.js';

type Watched = Pick<ProgramSpec, 'testFile' | 'implFiles'>;

/** What the changed paths mean for the task. Pure. */
export function describeChanges(
  watched: Watched,
  paths: { readonly changed: readonly Buffer[]; readonly untracked: readonly Buffer[] },
): Changes {
  const changedFiles = paths.changed.map(readablePath);
  const untrackedFiles = paths.untracked.map(readablePath);
  const touched = new Set([...changedFiles, ...untrackedFiles]);
  const testFile = plainPath(watched.testFile);
  const testDir = topFolder(testFile);
  const isInTestDir = (path: string): boolean =>
    path === testFile || (testDir !== null && (path === testDir || path.startsWith(`${testDir}/`)));
  return {
    changedFiles,
    untrackedFiles,
    touchedImplFile: watched.implFiles.some((file) => touched.has(plainPath(file))),
    editedTestDir: [...touched].some(isInTestDir),
    testFileEdited: touched.has(testFile),
  };
}

/** The path as text; bytes that are no UTF-8 make it a quoted name with octal escapes, as git prints it. */
export function readablePath(path: Buffer): string {
  const text = path.toString('utf8');
  if (Buffer.from(text).equals(path)) return text;
  const quoted = path
    .toString('latin1')
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"${quoted}"`;
}

function plainPath(path: string): string {
  return path.replace(/^(\.\/)+/, '').replace(/\/{2,}/g, '/');
}

/** Null for a file at the top: then there is no folder that holds nothing but tests. */
function topFolder(path: string): string | null {
  const slash = path.indexOf('/');
  return slash <= 0 ? null : path.slice(0, slash);
}
