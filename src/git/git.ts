import { spawn } from 'node:child_process';

/** A repository named explicitly: git neither searches for one nor asks who owns it. */
export interface Repository {
  readonly gitDir: string;
  /** Null for a bare one. */
  readonly workTree: string | null;
}

export interface GitOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output goes to this open file instead of memory. */
  readonly stdoutFd?: number;
  /** After this the command is killed. @defaultValue no limit */
  readonly timeoutMs?: number;
}

export interface GitResult {
  /** Null when git was killed. */
  readonly exit: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A git command that had to succeed and did not. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
}

/** No hook, helper, pager, monitor or background job, whatever the repository's own config asks for. */
const SAFE_CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  // Names that only Windows can't have are fine here; the checkout was made on this machine.
  'core.protectNTFS=false',
  'core.safecrlf=false',
  'credential.helper=',
  // Nothing here has to outlive a power cut; a template is synced as a whole.
  'core.fsync=none',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'commit.gpgSign=false',
  'protocol.ext.allow=never',
];
const SAFE_ARGS = ['--no-pager', ...SAFE_CONFIG.flatMap((setting) => ['-c', setting])];

/** Environment in which git reads no configuration but the repository's own. */
export function gitEnv(repository: Repository): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    GIT_DIR: repository.gitDir,
    ...(repository.workTree === null ? {} : { GIT_WORK_TREE: repository.workTree }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
  };
}

/** Runs git to its end; the caller judges the exit code. Only a git that can't be started throws. */
export function tryGit(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...SAFE_ARGS, ...args], {
      cwd: repository.workTree ?? repository.gitDir,
      env: { ...gitEnv(repository), ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', options.stdoutFd ?? 'pipe', 'pipe'],
      ...(options.timeoutMs === undefined
        ? {}
        : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', (error) => {
      reject(new GitFailure(`git could not be started: ${error.message}`, { cause: error }));
    });
    child.once('close', (exit) => {
      resolve({
        exit,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString('utf8'),
      });
    });
    // git may end without reading everything; its exit code tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input);
  });
}

/** @throws GitFailure with git's own first line when the command fails */
export async function git(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const result = await tryGit(repository, args, options);
  if (result.exit === 0) return result.stdout;
  const said = result.stderr.split('\n').find((line) => line.trim() !== '');
  throw new GitFailure(`git ${args[0] ?? ''}: ${said ?? `exit ${result.exit ?? 'by a signal'}`}`);
}

/** Trimmed text of a command that must succeed. */
export async function gitText(
  repository: Repository,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await git(repository, args, options)).toString('utf8').trim();
}

/** Parts of a NUL-terminated list, as bytes: a path need not be valid text. */
export function splitNul(list: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < list.length;) {
    const end = list.indexOf(0, start);
    const stop = end === -1 ? list.length : end;
    parts.push(list.subarray(start, stop));
    start = stop + 1;
  }
  return parts;
}

export function ordinary(workTree: string): Repository {
  return { gitDir: `${workTree}/.git`, workTree };
}
