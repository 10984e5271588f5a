import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AppSpec } from '../../domain/experiment/experiment.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { isErrno } from '../../support/atomic-file.js';
import { runCommand } from '../../support/run-command.js';
import { crashPoint } from '../../support/test-switches.js';
import type { AppCommits } from './app-source.js';
import { assembleTemplate } from './assemble-template.js';
import { bundleApp } from './bundle-app.js';
import { harmlessEnv } from './run-setup.js';
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
  const { key, neutralize, setup } = app;
  const refs = await bundleApp({ app: key, checkout, commits, neutralize, file: bundle });
  await assembleTemplate({
    app: { key, setup },
    bundle,
    refs,
    repoDir,
    workDir: work,
    env: harmlessEnv(input.env ?? process.env),
    logFile: join(input.layout.logsDir, `setup-${key}.txt`),
  });
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
