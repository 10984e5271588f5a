import { realpath, stat } from 'node:fs/promises';
import type { AppSpec } from '../domain/experiment/experiment.js';
import { suggest } from '../domain/experiment/suggest.js';
import { LlmxError } from '../errors/llmx-error.js';
import { runGit } from '../support/git.js';
import { appVariable } from './checkout.js';

type AppNames = Pick<AppSpec, 'key' | 'branchPrefix'>;

/** Commit ids of `<branch_prefix>/base` and of each task's branch. */
export interface AppCommits {
  readonly base: string;
  readonly tasks: Readonly<Record<string, string>>;
}

/** The same where some can't be told yet; the preflight says why. */
export interface KnownCommits {
  readonly base: string | null;
  readonly tasks: Readonly<Record<string, string | null>>;
}

const MOST_NAMED = 5;

/**
 * A task's branch is `<branch_prefix>/<task>`, else the only `<branch_prefix>/<task>-…`.
 * @throws LlmxError `checkout_not_set`, `checkout_unusable`, `branch_not_found`, `branch_ambiguous`
 */
export async function resolveCommits(
  app: AppNames,
  taskIds: readonly string[],
  checkout: string | null,
): Promise<AppCommits> {
  if (checkout === null) {
    const variable = appVariable(app.key).slice('LLMX_APP_'.length);
    throw new LlmxError('checkout_not_set', { app: app.key, variable });
  }
  const heads = await readHeads(app, checkout);
  const required = (name: string): string => {
    const found = findBranch(app, name, taskIds, heads.local);
    if (found.length === 1 && found[0] !== undefined) return found[0].commit;
    throw found.length === 0 ? notFound(app, name, heads) : ambiguous(app, name, found);
  };
  return {
    base: required('base'),
    tasks: Object.fromEntries(taskIds.map((task) => [task, required(task)])),
  };
}

/** What can be told now; null without a checkout that git can read. Never throws for what is missing. */
export async function knownCommits(
  app: AppNames,
  taskIds: readonly string[],
  checkout: string | null,
): Promise<KnownCommits | null> {
  if (checkout === null) return null;
  let heads: Heads;
  try {
    heads = await readHeads(app, checkout);
  } catch (error) {
    if (error instanceof LlmxError) return null; // the preflight shows it with its hint
    throw error;
  }
  const known = (name: string): string | null => {
    const found = findBranch(app, name, taskIds, heads.local);
    return found.length === 1 ? (found[0]?.commit ?? null) : null;
  };
  return {
    base: known('base'),
    tasks: Object.fromEntries(taskIds.map((task) => [task, known(task)])),
  };
}

interface Branch {
  readonly name: string;
  readonly commit: string;
}

interface Heads {
  readonly local: readonly Branch[];
  /** A remote that has branches below the prefix, as in a fresh clone. */
  readonly remote: string | null;
}

/** A suffix match that is another task's own branch does not count. */
function findBranch(
  app: AppNames,
  name: string,
  taskIds: readonly string[],
  branches: readonly Branch[],
): readonly Branch[] {
  const exact = `${app.branchPrefix}/${name}`;
  const own = branches.filter((branch) => branch.name === exact);
  if (own.length > 0 || name === 'base') return own;
  const taken = new Set(taskIds.map((task) => `${app.branchPrefix}/${task}`));
  return branches.filter(
    (branch) => branch.name.startsWith(`${exact}-`) && !taken.has(branch.name),
  );
}

async function readHeads(app: AppNames, checkout: string): Promise<Heads> {
  const folder = await realpath(checkout).catch((error: unknown) => {
    throw unusable(app, 'names a folder that is not there', error);
  });
  if (!(await stat(folder)).isDirectory()) throw unusable(app, 'names something that is no folder');
  const result = await runGit(folder, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    `refs/heads/${app.branchPrefix}/`,
    'refs/remotes/',
  ]);
  if (result.notFound) {
    const params = { app: app.key, problem: 'git was not found on PATH', hint: 'install git' };
    throw new LlmxError('checkout_unusable', params);
  }
  if (!result.ok) {
    const reason = (result.stderr.trim().split('\n')[0] ?? '').replaceAll(folder, 'the folder');
    throw unusable(app, `names no checkout that git can read (${reason})`);
  }
  const refs = result.stdout.split('\n').filter((line) => line !== '');
  return { local: refs.flatMap(localBranch), remote: remoteWith(app, refs) };
}

function localBranch(line: string): readonly Branch[] {
  const [ref = '', commit = ''] = line.split(' ');
  return ref.startsWith('refs/heads/') ? [{ name: ref.slice('refs/heads/'.length), commit }] : [];
}

function remoteWith(app: AppNames, refs: readonly string[]): string | null {
  for (const line of refs) {
    const [, remote, branch] = /^refs\/remotes\/([^/ ]+)\/([^ ]+) /.exec(line) ?? [];
    if (branch?.startsWith(`${app.branchPrefix}/`) === true) return remote ?? null;
  }
  return null;
}

/** Where the checkout is stays out of the message: it is recorded in the history of the grid. */
function unusable(app: AppNames, what: string, cause?: unknown): LlmxError {
  const variable = appVariable(app.key);
  const hint = `export ${variable}=/path/to/the/checkout`;
  const params = { app: app.key, problem: `${variable} ${what}`, hint };
  return new LlmxError('checkout_unusable', params, { cause });
}

function notFound(app: AppNames, name: string, heads: Heads): LlmxError {
  const branch = `${app.branchPrefix}/${name}`;
  const names = heads.local.map((head) => head.name);
  const shown = names.slice(0, MOST_NAMED).join(', ');
  const seen =
    names.length === 0 ? '' : ` (it has ${shown}${names.length > MOST_NAMED ? ', …' : ''})`;
  const meant = suggest(branch, names);
  const all = `refs/heads/${app.branchPrefix}/*`;
  const hint =
    heads.remote !== null
      ? `in the checkout: git fetch ${heads.remote} '${all}:${all}'`
      : meant !== null
        ? `in the checkout: git branch -m ${meant} ${branch}`
        : `in the checkout: git branch ${branch} COMMIT`;
  return new LlmxError('branch_not_found', { app: app.key, branch, seen, hint });
}

function ambiguous(app: AppNames, task: string, found: readonly Branch[]): LlmxError {
  const names = found.map((branch) => branch.name);
  return new LlmxError('branch_ambiguous', {
    app: app.key,
    task,
    branches: names.join(', '),
    first: names[0] ?? '',
    exact: `${app.branchPrefix}/${task}`,
  });
}
