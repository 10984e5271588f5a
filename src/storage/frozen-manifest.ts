import { canonicalJson, sha256 } from '../support/hash.js';
import type { KnownCommits } from './app-commits.js';

/** What a frozen plan is made of. Two plans with the same content have the same id. */
export interface FrozenContent {
  readonly schemaVersion: 1;
  /** sha256 by path: experiment.yml, prompts and solutions as they lie in the experiment folder. */
  readonly files: Readonly<Record<string, string>>;
  /** By app key; null where no checkout could be read. */
  readonly commits: Readonly<Record<string, KnownCommits | null>>;
  /** Environment variables that replaced a default of the experiment file. */
  readonly defaults: Readonly<Record<string, string>>;
}

export interface FrozenManifest extends FrozenContent {
  readonly frozenId: string;
}

const ID_LENGTH = 32;

export function withId(content: FrozenContent): FrozenManifest {
  return { ...content, frozenId: frozenIdOf(content) };
}

export function frozenIdOf({ schemaVersion, files, commits, defaults }: FrozenContent): string {
  const content = { schemaVersion, files, commits, defaults };
  return sha256(canonicalJson(content)).slice(0, ID_LENGTH);
}

export function isFrozenId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** What differs, in words for a person who starts the grid again. */
export function manifestChanges(before: FrozenContent, after: FrozenContent): readonly string[] {
  return [
    ...recordChanges(before.files, after.files, fileName),
    ...Object.keys({ ...before.commits, ...after.commits }).flatMap((app) =>
      commitChanges(app, before.commits[app] ?? null, after.commits[app] ?? null),
    ),
    ...recordChanges(before.defaults, after.defaults, (name) => `environment variable ${name}`),
  ];
}

function recordChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  nameOf: (key: string) => string,
): readonly string[] {
  return Object.keys({ ...before, ...after })
    .sort()
    .filter((key) => before[key] !== after[key])
    .map((key) => {
      if (before[key] === undefined) return `${nameOf(key)} added`;
      return `${nameOf(key)} ${after[key] === undefined ? 'removed' : 'changed'}`;
    });
}

function fileName(path: string): string {
  const [, prompt] = /^prompts\/(.+)\.txt$/.exec(path) ?? [];
  if (prompt !== undefined) return `prompt ${prompt}`;
  return path === 'experiment.yml' ? path : `solution ${path}`;
}

function commitChanges(
  app: string,
  before: KnownCommits | null,
  after: KnownCommits | null,
): readonly string[] {
  if (before === null || after === null) {
    if (before === after) return [];
    return [`app ${app}: ${after === null ? 'its checkout is gone' : 'its checkout is there now'}`];
  }
  const moves = (name: string, from: string | null | undefined, to: string | null | undefined) =>
    (from ?? null) === (to ?? null) ? [] : [`app ${app}: ${name} ${movedTo(to ?? null)}`];
  return [
    ...moves('base', before.base, after.base),
    ...Object.keys({ ...before.tasks, ...after.tasks }).flatMap((task) =>
      moves(`task ${task}`, before.tasks[task], after.tasks[task]),
    ),
  ];
}

function movedTo(commit: string | null): string {
  return commit === null ? 'has no branch any more' : `moved to commit ${commit.slice(0, 7)}`;
}
