import { mkdir, readdir, stat } from 'node:fs/promises';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LlmxError } from '../../errors/llmx-error.js';
import { packHostRoot } from '../../runtimes/containers/host-root.js';
import { runCommand } from '../../support/run-command.js';
import { whichProgram } from '../../support/which-program.js';
import { cliNames, cliPackages } from './base-dockerfile.js';
import type { BaseRecipe, HostNeed } from './base-recipe.js';
import { AGENT } from './names.js';

/** What tests, installers and agents call; a machine that lacks one of the second list can still be packed. */
const REQUIRED = [
  'bash',
  'sh',
  'git',
  'node',
  'tar',
  'gzip',
  'find',
  'grep',
  'sed',
  'awk',
  'ps',
  'cat',
];
const WANTED = (
  '[ base64 basename chgrp chmod chown cmp comm cp curl cut date dd df diff dirname du echo env expr false ' +
  'flock fold getent groups gunzip head hostname id install join kill less ln ls md5sum mkdir mkfifo mktemp mv ' +
  'nice nohup nproc numfmt od paste patch pgrep pkill printenv printf pwd readlink realpath rm rmdir seq setsid ' +
  'sha1sum sha256sum shuf sleep sort split sqlite3 stat stdbuf sync tac tail tee test time timeout touch tr true ' +
  'tsort tty uname uniq unlink wc which whoami xargs xz yes'
).split(' ');

const FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/usr/share/git-core/templates',
  '/etc/nsswitch.conf',
  '/usr/share/zoneinfo/UTC',
];

/** Loaded by name, so that no program lists them. */
const LATE_LIBRARIES = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2', 'libgcc_s.so.1'];

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** Writes `root.tar` and, where agents are asked for, `agents/` to the folder. @throws LlmxError `usage` */
export async function writeHostBase(contextDir: string, recipe: BaseRecipe): Promise<void> {
  const agentsDir = join(contextDir, 'agents');
  await installAgents(agentsDir, recipe);
  const extra = [...gitHelpers(await gitCore()), ...(await needed(recipe.needs))];
  const programs = [...extra, ...(await binariesBelow(agentsDir))];
  await packHostRoot(
    {
      programs: [...REQUIRED, ...WANTED],
      files: [...FILES, ...extra, ...(await librariesOf(programs))],
      users: [AGENT],
    },
    join(contextDir, 'root.tar'),
  );
}

/**
 * Names all that a base of this machine's programs is made from: another one when any of them is replaced.
 * @throws LlmxError `usage` where one that is needed is not there
 */
export async function hostFacts(recipe: BaseRecipe): Promise<readonly string[]> {
  if (process.platform !== 'linux') {
    const problem = '--from-host works on Linux only: containers run Linux programs';
    throw new LlmxError('usage', { problem, hint: 'llmx-client build base' });
  }
  const found = await Promise.all(
    [...REQUIRED, ...WANTED].map(async (name) => ({
      name,
      file: await whichProgram(name, process.env),
    })),
  );
  const missing = found.filter(({ name, file }) => file === null && REQUIRED.includes(name));
  if (missing.length > 0) throw lacks(missing.map(({ name }) => name).join(', '));
  const files = [
    ...found.flatMap(({ file }) => file ?? []),
    ...(await needed(recipe.needs)),
    ...FILES.filter((file) => existsSync(file)),
  ];
  return files.map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${file} ${size} ${mtimeMs}`;
  });
}

async function gitCore(): Promise<string> {
  const { stdout, ok } = await runCommand(['git', '--exec-path']);
  if (!ok) throw lacks('git');
  return stdout.trim();
}

/** git's helpers that are not git itself, by another name a hundred times. */
function gitHelpers(dir: string): readonly string[] {
  const names = [
    'git-sh-setup',
    'git-sh-i18n',
    'git-submodule',
    'git-remote-http',
    'git-remote-https',
  ];
  return names.map((name) => join(dir, name)).filter((file) => existsSync(file));
}

/** Where Debian has what an app of the experiment needs. */
async function needed(needs: readonly HostNeed[]): Promise<readonly string[]> {
  const files: string[] = [];
  if (needs.includes('npm')) files.push(await npmFolder());
  if (needs.includes('python')) {
    const python = existsSync('/usr/bin/python3') ? realpathSync('/usr/bin/python3') : '';
    const version = /python(3\.\d+)$/.exec(python)?.[1];
    if (version === undefined || !existsSync(`/usr/lib/python${version}`))
      throw lacks('python3 of its system');
    files.push('/usr/bin/python3', `/usr/lib/python${version}`);
  }
  if (needs.includes('postgresql')) files.push(...(await postgresFolders()));
  return files;
}

async function npmFolder(): Promise<string> {
  const npm = await whichProgram('npm', process.env);
  const folder = npm === null ? '' : dirname(dirname(realpathSync(npm)));
  if (folder !== '/usr/lib/node_modules/npm') throw lacks('npm of its system');
  return folder;
}

async function postgresFolders(): Promise<readonly string[]> {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? await readdir(root) : [];
  const newest = versions
    .filter((name) => existsSync(join(root, name, 'bin/initdb')))
    .sort()
    .at(-1);
  if (newest === undefined) throw lacks('a PostgreSQL server of its system');
  const lib = join(root, newest, 'lib');
  // Its compiler for queries is as large as all the rest, and the cluster has it turned off.
  const own = (await readdir(lib)).filter((name) => name.endsWith('.so') && !/llvmjit/.test(name));
  return [
    join(root, newest, 'bin'),
    ...own.map((name) => join(lib, name)),
    join('/usr/share/postgresql', newest),
  ];
}

function lacks(what: string): LlmxError {
  const problem = `--from-host: this machine has no ${what}`;
  return new LlmxError('usage', { problem, hint: 'llmx-client build base' });
}

/** The CLIs of npm packages bring native programs of their own. */
async function installAgents(dir: string, recipe: BaseRecipe): Promise<void> {
  if (cliNames(recipe).length === 0) return;
  await mkdir(dir, { recursive: true });
  const flags = ['--global', '--prefix', dir, '--no-fund', '--no-audit', '--no-update-notifier'];
  const argv = ['npm', 'install', ...flags, '--registry', recipe.registry] as const;
  const done = await runCommand([...argv, ...cliPackages(recipe)], {
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (done.ok) return;
  const said = done.stderr.split('\n').find((line) => /npm (ERR!|error)/.test(line));
  const problem = `the agents could not be installed: ${said ?? 'npm gave no reason'}`;
  throw new LlmxError('usage', { problem, hint: `npm view ${cliPackages(recipe)[0] ?? 'npm'}` });
}

async function binariesBelow(dir: string): Promise<readonly string[]> {
  const bin = join(dir, 'bin');
  if (!existsSync(bin)) return [];
  return (await readdir(bin)).map((name) => realpathSync(join(bin, name)));
}

/** Libraries that programs link; folders are looked through one level deep. */
async function librariesOf(paths: readonly string[]): Promise<readonly string[]> {
  const programs: string[] = [];
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) programs.push(path);
    else if (path.endsWith('/bin'))
      programs.push(...(await readdir(path)).map((name) => join(path, name)));
    else if (existsSync(join(path, 'lib-dynload'))) {
      const modules = await readdir(join(path, 'lib-dynload'));
      programs.push(...modules.map((name) => join(path, 'lib-dynload', name)));
    }
  }
  const libraries = new Set<string>();
  // ldd takes any number of files, and fails when one of them is a script.
  const { stdout } = await runCommand(['ldd', ...programs, '/usr/bin/env']);
  for (const [library] of stdout.matchAll(/\/[^\s():]+\.so[^\s():]*(?= \()/g))
    libraries.add(library);
  const folders = new Set([...libraries].map((library) => dirname(library)));
  for (const folder of folders) {
    for (const name of LATE_LIBRARIES) {
      if (existsSync(join(folder, name))) libraries.add(join(folder, name));
    }
  }
  return [...libraries];
}
