import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DEFAULT_VARIABLES } from '../domain/experiment/parse-settings.js';
import { parseExperiment } from '../domain/experiment/parse-experiment.js';
import type { Experiment } from '../domain/experiment/experiment.js';
import { LlmxError } from '../errors/llmx-error.js';
import { isErrno, readJsonIfExists, syncFolder, writeJsonAtomic } from '../support/atomic-file.js';
import { forEachLimited } from '../support/for-each-limited.js';
import { sha256 } from '../support/hash.js';
import type { Environment } from '../support/paths.js';
import { ensurePrivateFolder } from '../support/private-folder.js';
import { knownCommits, type KnownCommits } from './app-commits.js';
import { readCheckouts } from './checkout.js';
import { assertKey } from './experiment-entry.js';
import { EXPERIMENT_FILE, loadExperiment, promptPath, solutionPath } from './experiment-folder.js';
import {
  frozenIdOf,
  isFrozenId,
  manifestChanges,
  withId,
  type FrozenManifest,
} from './frozen-manifest.js';
import type { StateLayout } from './state-layout.js';

const FILES_AT_A_TIME = 16;

export interface FreezeInput {
  readonly state: StateLayout;
  readonly key: string;
  /** The experiment folder. */
  readonly folder: string;
  readonly env: Environment;
}

export interface FreezeResult {
  readonly frozenId: string;
  /** What differs from the plan of this experiment that was frozen last; empty for the first. */
  readonly changes: readonly string[];
}

/**
 * Copies all that trials read, named by its content: experiment.yml, the prompts and solutions that are
 * there, and the commit ids of every app. What is missing is not copied; the preflight reports it.
 * @throws LlmxError `experiment_invalid`, `plan_file_unreadable`, `state_folder_unusable`
 */
export async function freezePlan({ state, key, folder, env }: FreezeInput): Promise<FreezeResult> {
  const { experiment, text } = await loadExperiment(folder, env);
  const contents = await readContents(folder, experiment, text);
  const files = [...contents].map(([path, content]) => [path, sha256(content)] as const);
  const manifest = withId({
    schemaVersion: 1,
    files: Object.fromEntries(files),
    commits: await commitsOf(folder, experiment, env),
    defaults: defaultsIn(env),
  });
  const before = await latestManifest(state, key);
  await store(state, key, manifest, contents);
  const latest = { schemaVersion: 1, frozenId: manifest.frozenId };
  await writeJsonAtomic(state.latestFrozenFile(key), latest, { mode: 0o600 });
  const changes = before === null ? [] : manifestChanges(before, manifest);
  return { frozenId: manifest.frozenId, changes };
}

async function readContents(
  folder: string,
  experiment: Experiment,
  text: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>([[EXPERIMENT_FILE, Buffer.from(text)]]);
  const wanted = experiment.tasks.flatMap((task) => [
    ...experiment.conditions.map((condition) => promptPath('', experiment, task.id, condition)),
    ...(task.solution === null ? [] : [task.solution]),
  ]);
  await forEachLimited(new Set(wanted), FILES_AT_A_TIME, async (path) => {
    const content = await readIfFile(folder, path);
    if (content !== null && !contents.has(path)) contents.set(path, content);
  });
  return contents;
}

/** Null for what is not there, or is no file: reading a pipe would wait for ever. */
async function readIfFile(folder: string, path: string): Promise<Uint8Array | null> {
  const file = join(folder, path);
  try {
    return (await stat(file)).isFile() ? await readFile(file) : null;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new LlmxError('plan_file_unreadable', { file: path, reason }, { cause: error });
  }
}

async function commitsOf(
  folder: string,
  experiment: Experiment,
  env: Environment,
): Promise<Readonly<Record<string, KnownCommits | null>>> {
  const checkouts = await readCheckouts(folder, experiment, env);
  const commits: Record<string, KnownCommits | null> = {};
  for (const app of experiment.apps) {
    const tasks = experiment.tasks.filter((task) => task.app === app.key).map((task) => task.id);
    commits[app.key] = await knownCommits(app, tasks, checkouts[app.key] ?? null);
  }
  return commits;
}

/** The worker may have another environment than the terminal that started the grid. */
function defaultsIn(env: Environment): Readonly<Record<string, string>> {
  const set = DEFAULT_VARIABLES.map((name) => [name, env[name] ?? ''] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== ''));
}

async function latestManifest(state: StateLayout, key: string): Promise<FrozenManifest | null> {
  try {
    const latest = await readJsonIfExists(state.latestFrozenFile(assertKey(key)));
    const frozenId = (latest as { frozenId?: unknown } | null)?.frozenId;
    return typeof frozenId === 'string' ? await readManifest(state, key, frozenId) : null;
  } catch (error) {
    // Only the words about what changed depend on it.
    if (error instanceof SyntaxError || error instanceof LlmxError) return null;
    throw error;
  }
}

/** Made beside its place and moved there whole: a reader sees all of a plan or nothing. */
async function store(
  state: StateLayout,
  key: string,
  manifest: FrozenManifest,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const dir = state.frozenDir(key, manifest.frozenId);
  if (await isWhole(state, key, manifest.frozenId)) return;
  await ensurePrivateFolder(dirname(dir));
  const building = join(dirname(dir), `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await forEachLimited(contents, FILES_AT_A_TIME, ([path, content]) =>
      writePrivate(join(building, 'files', path), content),
    );
    await writeJsonAtomic(join(building, 'manifest.json'), manifest, { mode: 0o600 });
    await rename(building, dir).catch(async (error: unknown) => {
      // Another start froze the same content in between, or what is there is damaged.
      if (await isWhole(state, key, manifest.frozenId)) return;
      if (!isErrno(error, 'ENOTEMPTY') && !isErrno(error, 'EEXIST')) throw error;
      await rm(dir, { recursive: true, force: true });
      await rename(building, dir);
    });
    await syncFolder(dirname(dir));
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

async function writePrivate(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isWhole(state: StateLayout, key: string, frozenId: string): Promise<boolean> {
  try {
    await verifyFiles(state, await readManifest(state, key, frozenId), key);
    return true;
  } catch (error) {
    if (error instanceof LlmxError) return false;
    throw error;
  }
}

/** A frozen plan as trials read it. Paths are inside the state folder; a missing prompt has no file there. */
export interface FrozenPlan {
  readonly experiment: Experiment;
  readonly dir: string;
  readonly manifest: FrozenManifest;
  promptFile(taskId: string, condition: string): string;
  /** Null for a task without a solution. */
  solutionFile(taskId: string): string | null;
}

/**
 * Reads a frozen plan and checks that it is still what was frozen.
 * @throws LlmxError `frozen_plan_missing`, `frozen_plan_damaged`
 */
export async function loadFrozenPlan(
  state: StateLayout,
  key: string,
  frozenId: string,
): Promise<FrozenPlan> {
  const manifest = await readManifest(state, key, frozenId);
  await verifyFiles(state, manifest, key);
  const dir = state.frozenDir(key, frozenId);
  const files = join(dir, 'files');
  const text = await readFile(join(files, EXPERIMENT_FILE), 'utf8');
  const parsed = parseExperiment(text, { env: manifest.defaults });
  if (!parsed.ok) throw damaged(key, frozenId, parsed.faults[0]?.message ?? EXPERIMENT_FILE);
  const { experiment } = parsed;
  return {
    experiment,
    dir,
    manifest,
    promptFile: (taskId, condition) => promptPath(files, experiment, taskId, condition),
    solutionFile: (taskId) => solutionPath(files, experiment, taskId),
  };
}

async function readManifest(
  state: StateLayout,
  key: string,
  frozenId: string,
): Promise<FrozenManifest> {
  const missing = new LlmxError('frozen_plan_missing', { key, frozenId });
  if (!isFrozenId(frozenId)) throw missing;
  const file = join(state.frozenDir(assertKey(key), frozenId), 'manifest.json');
  const manifest = await readJsonIfExists(file).catch((error: unknown) => {
    if (error instanceof SyntaxError) throw damaged(key, frozenId, 'manifest.json is no JSON');
    throw error;
  });
  if (manifest === null) throw missing;
  const sound = manifest as FrozenManifest;
  if (frozenIdOf(sound) !== frozenId)
    throw damaged(key, frozenId, 'manifest.json has other content');
  return sound;
}

async function verifyFiles(
  state: StateLayout,
  manifest: FrozenManifest,
  key: string,
): Promise<void> {
  const files = join(state.frozenDir(key, manifest.frozenId), 'files');
  await forEachLimited(Object.entries(manifest.files), FILES_AT_A_TIME, async ([path, hash]) => {
    const content = await readIfFile(files, path);
    if (content === null || sha256(content) !== hash) throw damaged(key, manifest.frozenId, path);
  });
}

function damaged(key: string, frozenId: string, problem: string): LlmxError {
  return new LlmxError('frozen_plan_damaged', { key, frozenId, problem });
}
