#!/usr/bin/env node
/**
 * Makes the git checkout of an example's app: `node make-app.mjs [folder [example app-key]]`.
 *
 * `<folder>/app` gets the branches `bench/base` (app-source/ as it is) and `bench/<task>` (one for each
 * patch in bugs/), `<folder>/.apps.local` gets the line that tells llmx where it is. Without an argument
 * the folder is the one of this script, and so is the example, which has app-source/ and bugs/. Commit ids are the same on every machine and every time; a
 * checkout that is up to date is left alone.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [, , target = here, example = here, appKey = 'ledger'] = process.argv;
const sourceDir = resolve(example, 'app-source');
const bugsDir = resolve(example, 'bugs');
const KEY_NAME = `LLMX_APP_${appKey.toUpperCase()}`;
/** Inside .git, so that it never shows up as a file of the app. */
const STAMP = join('.git', 'made-from');

const targetDir = resolve(target);
const appDir = join(targetDir, 'app');
const tasks = readdirSync(bugsDir)
  .filter((name) => name.endsWith('.patch'))
  .map((name) => name.slice(0, -'.patch'.length))
  .sort();

mkdirSync(targetDir, { recursive: true });
const inputs = digestOfInputs();
const upToDate = readIfExists(join(appDir, STAMP)) === inputs;
if (!upToDate) makeCheckout();
writeKeyFile();
const shown = relative(process.cwd(), appDir) || '.';
const branches = ['base', ...tasks].map((name) => `bench/${name}`).join(', ');
console.log(`${shown} ${upToDate ? 'is up to date' : 'made'}: ${branches}`);

/** Built beside its place and moved there in one step: nobody sees half a checkout. */
function makeCheckout() {
  const stage = mkdtempSync(join(targetDir, '.app-'));
  try {
    const checkout = join(stage, 'app');
    cpSync(sourceDir, checkout, { recursive: true });
    const git = gitIn(checkout, stage);
    git('init', '--quiet', '--template=');
    git('symbolic-ref', 'HEAD', 'refs/heads/bench/base');
    commit(git, `Start of ${appKey}`);
    for (const task of tasks) {
      git('checkout', '--quiet', '-b', `bench/${task}`, 'bench/base');
      git('apply', '--whitespace=nowarn', join(bugsDir, `${task}.patch`));
      commit(git, `Plant ${task}`);
    }
    git('checkout', '--quiet', 'bench/base');
    writeFileSync(join(checkout, STAMP), inputs);
    rmSync(appDir, { recursive: true, force: true });
    renameSync(checkout, appDir);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function commit(git, subject) {
  git('add', '--all');
  git('commit', '--quiet', '--no-verify', '--message', subject);
}

/** Git without the user's configuration, hooks or identity: they would change the commit ids. */
function gitIn(cwd, home) {
  const who = { NAME: 'Example', EMAIL: 'example@example.invalid', DATE: '2024-01-01T00:00:00Z' };
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
    ...Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    ),
  };
  const settings = ['core.fileMode=false', 'core.autocrlf=false', 'gc.auto=0'];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  return (...args) => {
    try {
      execFileSync('git', [...flags, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    } catch (error) {
      throw error.code === 'ENOENT' ? new Error('git was not found: install git') : error;
    }
  };
}

function digestOfInputs() {
  const hash = createHash('sha256');
  const files = [fileURLToPath(import.meta.url), ...filesBelow(sourceDir), ...filesBelow(bugsDir)];
  for (const file of files) hash.update(`${relative(here, file)}\0`).update(readFileSync(file));
  return `${hash.digest('hex')}\n`;
}

function filesBelow(dir) {
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/** Other lines of the file are the user's and stay. */
function writeKeyFile() {
  const file = join(targetDir, '.apps.local');
  const lines = (readIfExists(file) ?? '').split('\n').filter((line) => line !== '');
  if (lines.some((line) => line.startsWith(`${KEY_NAME}=`))) return;
  writeFileSync(file, `${[...lines, `${KEY_NAME}=./app`].join('\n')}\n`, { mode: 0o600 });
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}
