import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppSpec } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { isErrno } from '../../support/atomic-file.js';
import { runCommand } from '../../support/run-command.js';
import { crashPoint } from '../../support/test-switches.js';
import { makeEmptyGitDir, makeFreshRepository } from '../../git/fresh-repository.js';
import { git, gitText, ordinary } from '../../git/git.js';
import type { AppCommits } from './app-source.js';
import { bundleApp } from './bundle-app.js';
import { BASE_REF, FLAT_SUBJECT } from './flatten.js';
import { runSetup } from './run-setup.js';
import { settleSetup } from './settle-setup.js';
import { templateIdOf } from './template-id.js';

export interface TemplateInput {
  readonly layout: Pick<StateLayout, 'templateDir' | 'logsDir'>;
  /** The app's checkout on this host. */
  readonly checkout: string;
  readonly app: Pick<AppSpec, 'key' | 'neutralize' | 'setup'>;
  readonly commits: AppCommits;
  /** Of the host, for `setup`; only harmless names are passed on. @defaultValue process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Template {
  readonly templateId: string;
  readonly dir: string;
  /** False when it was there before, or another process was faster. */
  readonly built: boolean;
}

const BUILDING = '.building-';
const STALE_MS = 24 * 60 * 60_000;

/**
 * Makes the checkout that trials of an app are copied from: one orphan commit for each task and nothing else,
 * dependencies installed. Made beside its place and then renamed, so that what is there is complete.
 * @throws LlmxError `checkout_unusable`, `app_setup_failed`, `template_not_flat`
 */
export async function buildTemplate(input: TemplateInput): Promise<Template> {
  const templateId = templateIdOf(input.app, input.commits);
  const dir = input.layout.templateDir(templateId);
  if (existsSync(dir)) return { templateId, dir, built: false };
  const parent = dirname(dir);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeStale(parent);
  const work = await mkdtemp(join(parent, BUILDING));
  try {
    const repoDir = join(work, 'repo');
    await buildInto(repoDir, work, input);
    // A template that a power cut leaves half on disk would spoil every trial after it. Not vital, so the
    // outcome is not looked at: not every system can sync one file system.
    await runCommand(['sync', '-f', repoDir]);
    crashPoint('template:built');
    return { templateId, dir, built: await moveInto(repoDir, dir) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function buildInto(repoDir: string, work: string, input: TemplateInput): Promise<void> {
  const { app, checkout, commits } = input;
  const bundle = join(work, 'app.bundle');
  const { neutralize } = app;
  const all = await bundleApp({ app: app.key, checkout, commits, neutralize, file: bundle });
  const refs = new Map([...all].filter(([ref]) => ref !== BASE_REF));
  const [head] = refs.keys();
  const startId = all.get(BASE_REF) ?? (head === undefined ? undefined : refs.get(head));
  if (head === undefined || startId === undefined) throw new Error(`app ${app.key} has no tasks`);

  const raw = join(repoDir, '.git');
  makeEmptyGitDir(raw, { objectIdLength: startId.length, head: 'refs/heads/none' });
  await git({ gitDir: raw, workTree: null }, ['bundle', 'unbundle', bundle]);
  const repository = ordinary(repoDir);
  await git(repository, ['read-tree', '--reset', '-u', startId]);
  const settled =
    app.setup === null
      ? { refs, exclude: [] }
      : await setUp(repoDir, work, input, { command: app.setup, startId, refs });

  const gitDir = join(work, 'fresh.git');
  const exclude = settled.exclude.length === 0 ? null : `${settled.exclude.join('\n')}\n`;
  await makeFreshRepository({ gitDir, from: repository, refs: settled.refs, head, exclude });
  // The index comes along: it says which files of the start commit are in the work tree.
  await rename(join(raw, 'index'), join(gitDir, 'index'));
  await rm(raw, { recursive: true });
  await rename(gitDir, raw);
  await git(repository, ['read-tree', '--reset', '-u', 'HEAD']);
  await refuseOtherCommits(app.key, repoDir);
}

async function setUp(
  repoDir: string,
  work: string,
  input: TemplateInput,
  start: {
    readonly command: string;
    readonly startId: string;
    readonly refs: ReadonlyMap<string, string>;
  },
): ReturnType<typeof settleSetup> {
  const { key } = input.app;
  // The installer may look at git: it sees a checkout of the start commit.
  await git(ordinary(repoDir), ['update-ref', '--no-deref', 'HEAD', start.startId]);
  await runSetup({
    app: key,
    command: start.command,
    cwd: repoDir,
    logFile: join(input.layout.logsDir, `setup-${key}.txt`),
    env: input.env ?? process.env,
  });
  return settleSetup(repoDir, join(work, 'settle'), start);
}

/** The last look before a template can be used: no commit but flat ones, whatever made them. */
async function refuseOtherCommits(app: string, repoDir: string): Promise<void> {
  const repository = ordinary(repoDir);
  const [all, subjects, status] = await Promise.all([
    gitText(repository, [
      'cat-file',
      '--batch-all-objects',
      '--batch-check=%(objecttype) %(objectname)',
    ]),
    gitText(repository, ['for-each-ref', '--format=%(objectname) %(parent)%(subject)']),
    gitText(repository, [
      'status',
      '--porcelain',
      '--untracked-files=normal',
      '--ignore-submodules=all',
    ]),
  ]);
  const expected = new Set<string>();
  const problems: string[] = [];
  for (const line of subjects.split('\n')) {
    const space = line.indexOf(' ');
    expected.add(line.slice(0, space));
    if (line.slice(space + 1) !== FLAT_SUBJECT)
      problems.push(`a commit “${line.slice(space + 1)}”`);
  }
  for (const [type, id = ''] of all.split('\n').map((line) => line.split(' '))) {
    if (type === 'tag') problems.push(`a tag ${id.slice(0, 12)}`);
    if (type === 'commit' && !expected.has(id)) problems.push(`a commit ${id.slice(0, 12)}`);
  }
  if (status !== '')
    problems.push(`a file that is not as committed (${status.split('\n')[0]?.trim() ?? ''})`);
  if (problems.length > 0)
    throw new LlmxError('template_not_flat', { app, problem: problems[0] ?? '' });
}

/** @returns false when another process had the same template ready first */
async function moveInto(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST') || isErrno(error, 'ENOTEMPTY')) return false;
    throw error;
  }
}

/** Left by builds that were killed. */
async function removeStale(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(BUILDING)) continue;
    const path = join(parent, name);
    const modified = await stat(path).catch(() => null); // gone meanwhile
    if (modified !== null && Date.now() - modified.mtimeMs > STALE_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
