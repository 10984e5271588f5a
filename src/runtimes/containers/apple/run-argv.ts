import { availableParallelism } from 'node:os';
import { statSync } from 'node:fs';
import { LlmxError } from '../../../errors/llmx-error.js';
import type { ContainerRun, Mount } from '../engine.js';
import type { AppleImage } from './output.js';
import { has, type AppleVersion } from './version.js';

/** The smallest virtual machine that newer versions make. */
const SMALLEST_MB = 200;

/**
 * Every command goes through a login shell: `run` alone does not apply the image's PATH, and tools may be
 * set up in the shell's own files. What the image has comes first all the same, as in other engines. The
 * environment is set here as well, because older versions keep the image's value beside the one given.
 */
const SHELL_LINE = `PATH="\${1:+$1:}$PATH"; shift
while [ "$1" != exec ]; do export "$1"; shift; done
shift; exec "$@"`;

export interface AppleRun {
  readonly version: AppleVersion;
  readonly image: AppleImage & { readonly reference: string };
  readonly run: ContainerRun;
}

/** @throws LlmxError `engine_refuses` for what the CLI can't be told */
export function runArgs({ version, image, run }: AppleRun): readonly string[] {
  return [
    ...['run', '--rm', '--interactive', '--name', run.name],
    ...(run.hasTerminal === true ? ['--tty'] : []),
    ...(has(version, 'quietProgress') ? ['--progress', 'none'] : ['--disable-progress-updates']),
    ...Object.entries(run.labels).flatMap(([name, value]) => ['--label', label(name, value)]),
    ...['--user', run.user, '--workdir', run.workdir],
    // An open network is the one the CLI takes by itself.
    ...(run.network === 'none' ? ['--network', 'none'] : []),
    ...limits(version, run),
    ...mounts(version, run.mounts),
    ...['--entrypoint', 'bash', image.reference],
    ...['-lc', SHELL_LINE, 'bash', image.path ?? ''],
    ...Object.entries(run.env).map(([name, value]) => `${name}=${value}`),
    ...['exec', ...run.argv],
  ];
}

function label(name: string, value: string): string {
  if (value.includes('=')) throw refusal(`a label with "=" in it (${name}=${value})`);
  return `${name}=${value}`;
}

function limits(version: AppleVersion, run: ContainerRun): readonly string[] {
  // Whole processors only, and never more than there are.
  const cpus = Math.min(Math.ceil(Number(run.cpus)), availableParallelism());
  const memoryMb = Math.max(Math.ceil(run.memory.bytes / (1024 * 1024)), SMALLEST_MB);
  return [
    ...['--cpus', `${cpus}`, '--memory', `${memoryMb}M`],
    // No virtual machine is shared, so a limit of the user is one of the container.
    ...(has(version, 'processLimit')
      ? ['--ulimit', `nproc=${run.pidsLimit}:${run.pidsLimit}`]
      : []),
    ...(has(version, 'readOnlyRoot') ? ['--read-only', '--tmpfs', '/tmp'] : []),
    ...(has(version, 'capabilities') ? ['--cap-drop', 'ALL'] : []),
  ];
}

/** One source twice would be one share, and what is said of it last holds for both. */
function mounts(version: AppleVersion, all: readonly Mount[]): readonly string[] {
  const sources = new Set<string>();
  return all.flatMap((mount) => {
    if (sources.has(mount.source)) throw refusal(`the same folder twice (${mount.source})`);
    sources.add(mount.source);
    return statSync(mount.source).isDirectory() ? folderMount(mount) : fileMount(version, mount);
  });
}

function folderMount({ source, target, readOnly }: Mount): readonly string[] {
  for (const path of [source, target]) {
    if (/[=,]/.test(path)) throw refusal(`a folder with "=" or "," in its name (${path})`);
  }
  const value = `type=bind,source=${source},target=${target}${readOnly ? ',readonly' : ''}`;
  return ['--mount', value];
}

function fileMount(version: AppleVersion, { source, target, readOnly }: Mount): readonly string[] {
  if (!has(version, 'fileMounts')) throw refusal(`a single file (${source}) before version 0.9`);
  if (source.includes(':')) throw refusal(`a file with ":" in its name (${source})`);
  return ['--volume', `${source}:${target}${readOnly ? ':ro' : ''}`];
}

function refusal(what: string): LlmxError {
  return new LlmxError('engine_refuses', { kind: 'apple', what });
}
