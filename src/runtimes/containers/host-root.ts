import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { runCommand } from '../../support/run-command.js';
import { whichProgram } from '../../support/which-program.js';

/** Folders that programs expect, besides those their own files bring. */
const FOLDERS = [
  'usr/bin',
  'usr/sbin',
  'usr/lib',
  'usr/lib64',
  'etc',
  'root',
  'proc',
  'sys',
  'dev',
  'run',
];
const LINKED = ['bin', 'sbin', 'lib', 'lib64'];

export interface HostRoot {
  /** Programs of this machine, by name. */
  readonly programs: readonly string[];
  /** Folders and files of this machine that are copied as they are, where they exist. */
  readonly files: readonly string[];
  /** Lines of `/etc/passwd` and `/etc/group` after root's. */
  readonly users: readonly { readonly name: string; readonly id: number; readonly home: string }[];
}

/**
 * Makes a tar file of a small root file system out of this machine's own programs and the libraries they
 * link: an image without any registry. Linux only.
 * @returns programs that this machine does not have
 */
export async function packHostRoot(root: HostRoot, tarFile: string): Promise<readonly string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'llmx-root-'));
  try {
    await Promise.all(FOLDERS.map((name) => mkdir(join(dir, name), { recursive: true })));
    await Promise.all(LINKED.map((name) => symlink(`usr/${name}`, join(dir, name))));
    await mkdir(join(dir, 'tmp'), { mode: 0o1777 });
    const missing = await copyPrograms(root.programs, dir);
    for (const file of root.files) {
      if (existsSync(file)) await put(file, dir);
    }
    await writeUsers(root.users, dir);
    // The sticky bit of /tmp is not kept by mkdir where the umask takes it.
    await must(['chmod', '1777', join(dir, 'tmp')]);
    const owner = ['--owner=0', '--group=0', '--numeric-owner'];
    await must(['tar', '-C', dir, ...owner, '-cf', tarFile, '.']);
    return missing;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function copyPrograms(names: readonly string[], dir: string): Promise<readonly string[]> {
  const missing: string[] = [];
  const libraries = new Set<string>();
  for (const name of names) {
    const found = await whichProgram(name, process.env);
    if (found === null) {
      missing.push(name);
      continue;
    }
    const file = realpathSync(found);
    await cp(file, join(dir, 'usr/bin', basename(name)), { dereference: true });
    // A script or a static program links nothing, and ldd fails on it.
    const { stdout } = await runCommand(['ldd', file]);
    for (const [library] of stdout.matchAll(/\/[^\s()]+\.so[^\s()]*/g)) libraries.add(library);
  }
  for (const library of libraries) await put(library, dir);
  return missing;
}

async function put(file: string, dir: string): Promise<void> {
  const target = join(dir, file);
  if (existsSync(target)) return;
  await mkdir(dirname(target), { recursive: true });
  await cp(file, target, { recursive: true, dereference: true });
}

async function writeUsers(users: HostRoot['users'], dir: string): Promise<void> {
  const passwd = users.map(({ name, id, home }) => `${name}:x:${id}:${id}::${home}:/bin/bash\n`);
  const group = users.map(({ name, id }) => `${name}:x:${id}:\n`);
  await writeFile(join(dir, 'etc/passwd'), `root:x:0:0:root:/root:/bin/bash\n${passwd.join('')}`);
  await writeFile(join(dir, 'etc/group'), `root:x:0:\n${group.join('')}`);
  for (const { id, home } of users) {
    await mkdir(join(dir, home), { recursive: true });
    await runCommand(['chown', `${id}:${id}`, join(dir, home)]); // only root can; else the image build does
  }
}

async function must(argv: readonly [string, ...string[]]): Promise<void> {
  const { ok, stderr } = await runCommand(argv, { timeoutMs: 10 * 60_000 });
  if (!ok) throw new Error(`${argv[0]}: ${stderr.trim()}`);
}
