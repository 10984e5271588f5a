import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppSpec } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { makeEmptyGitDir, makeFreshRepository } from '../../git/fresh-repository.js';
import { git, gitText, ordinary } from '../../git/git.js';
import { BASE_REF, FLAT_SUBJECT } from './flatten.js';
import { runSetup } from './run-setup.js';
import { settleSetup } from './settle-setup.js';

export interface Assembly {
  readonly app: Pick<AppSpec, 'key' | 'setup'>;
  /** Git bundle of flat commits; see `bundleApp`. */
  readonly bundle: string;
  /** Full ref name to commit id, of all that the bundle holds. */
  readonly refs: ReadonlyMap<string, string>;
  /** Folder to make. */
  readonly repoDir: string;
  /** Folder for what is needed meanwhile; on the same disk. */
  readonly workDir: string;
  /** Of the set-up command. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets what the set-up prints; null: this process's own output. */
  readonly logFile: string | null;
}

/**
 * Makes of a bundle the checkout that trials start from: one orphan commit for each task and nothing else,
 * dependencies installed. The same on the host and in the build of an image.
 * @throws LlmxError `app_setup_failed`, `template_not_flat`
 */
export async function assembleTemplate(assembly: Assembly): Promise<void> {
  const { app, bundle, repoDir, workDir } = assembly;
  const refs = new Map([...assembly.refs].filter(([ref]) => ref !== BASE_REF));
  const [head] = refs.keys();
  const startId = assembly.refs.get(BASE_REF) ?? (head === undefined ? undefined : refs.get(head));
  if (head === undefined || startId === undefined) throw new Error(`app ${app.key} has no tasks`);

  const raw = join(repoDir, '.git');
  makeEmptyGitDir(raw, { objectIdLength: startId.length, head: 'refs/heads/none' });
  await git({ gitDir: raw, workTree: null }, ['bundle', 'unbundle', bundle]);
  const repository = ordinary(repoDir);
  await git(repository, ['read-tree', '--reset', '-u', startId]);
  const settled =
    app.setup === null
      ? { refs, exclude: [] }
      : await setUp(assembly, { command: app.setup, startId, refs });

  const gitDir = join(workDir, 'fresh.git');
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
  { app, repoDir, workDir, env, logFile }: Assembly,
  start: {
    readonly command: string;
    readonly startId: string;
    readonly refs: ReadonlyMap<string, string>;
  },
): ReturnType<typeof settleSetup> {
  // The installer may look at git: it sees a checkout of the start commit.
  await git(ordinary(repoDir), ['update-ref', '--no-deref', 'HEAD', start.startId]);
  await runSetup({ app: app.key, command: start.command, cwd: repoDir, logFile, env });
  return settleSetup(repoDir, join(workDir, 'settle'), start);
}

/** The last look before a template can be used: no commit but flat ones, whatever made them. */
export async function refuseOtherCommits(app: string, repoDir: string): Promise<void> {
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
