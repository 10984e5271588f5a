import { RESTART } from './call.js';

/** A version of Apple's `container`, as `major.minor.patch`. */
export type AppleVersion = readonly [number, number, number];

/**
 * The oldest version that trials run on: before 0.6 a container could not be cut off from the network, and
 * the programs of the image were not found.
 */
const OLDEST: AppleVersion = [0, 6, 0];

/** Since which version the command line has what trials use. Without it, a run goes without. */
const SINCE = {
  /** `--progress none`; before, a flag of another name. */
  quietProgress: [0, 7, 0],
  readOnlyRoot: [0, 8, 0],
  /** `--ulimit`. */
  processLimit: [0, 9, 0],
  /** `--volume` of a single file or socket. */
  fileMounts: [0, 9, 0],
  /** `system status --format json`. */
  statusAsJson: [0, 10, 0],
  capabilities: [0, 12, 0],
} as const satisfies Readonly<Record<string, AppleVersion>>;

export type Feature = keyof typeof SINCE;

export function has(version: AppleVersion, feature: Feature): boolean {
  return isAtLeast(version, SINCE[feature]);
}

export function isAtLeast(version: AppleVersion, other: AppleVersion): boolean {
  for (const at of [0, 1, 2] as const) {
    if (version[at] !== other[at]) return version[at] > other[at];
  }
  return true;
}

/** What keeps a trial in its place, and is missing from this version; for a person to read. */
export function missingProtections(version: AppleVersion): readonly string[] {
  const protections = {
    readOnlyRoot: 'a read-only base',
    processLimit: 'a limit of processes',
    capabilities: 'dropped capabilities',
  } as const;
  return (['readOnlyRoot', 'processLimit', 'capabilities'] as const)
    .filter((feature) => !has(version, feature))
    .map((feature) => protections[feature]);
}

/** @returns null for the answer of another program of that name */
export function parseVersion(output: string): AppleVersion | null {
  return versionIn(/^container CLI version (.*)/m.exec(output)?.[1] ?? '');
}

/** The first version number in a text. */
export function versionIn(text: string): AppleVersion | null {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (found === null) return null;
  const [, major, minor, patch] = found.map(Number);
  return [major ?? 0, minor ?? 0, patch ?? 0];
}

export function versionText(version: AppleVersion): string {
  return version.join('.');
}

/** Null for a version that trials run on. */
export function tooOld(
  version: AppleVersion,
): { readonly detail: string; readonly hint: string } | null {
  if (isAtLeast(version, OLDEST)) return null;
  const [is, needed] = [versionText(version), versionText(OLDEST)];
  return {
    detail: `container ${is} can't cut a trial off from the network; ${needed} or newer is needed`,
    hint: `install a newer container from Apple, then: ${RESTART}`,
  };
}
