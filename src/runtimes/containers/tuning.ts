import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { writeJsonAtomic } from '../../support/atomic-file.js';
import { cacheDir } from '../../support/paths.js';
import { whichProgram } from '../../support/which-program.js';
import { callEngine, reasonOf, unreachable } from './engine-call.js';
import { importProbeImage, PROBE_IMAGE } from './probe-image.js';
import { resourceFlags, securityFlags } from './run-flags.js';

type OciKind = 'docker' | 'podman';

/** What this machine's engine needs to be told before it starts anything. */
export interface Tuning {
  readonly version: string;
  /** Before the subcommand. */
  readonly globalFlags: readonly string[];
  /** After `run` and `build`. */
  readonly runFlags: readonly string[];
  /** How many processors the engine has to give. */
  readonly cpus: number;
  /** The engine itself runs without root. */
  readonly rootless: boolean;
}

export type TuningResult =
  | { readonly ok: true; readonly tuning: Tuning }
  | { readonly ok: false; readonly version: string | null; readonly reason: string };

interface Flags {
  readonly globalFlags: readonly string[];
  readonly runFlags: readonly string[];
}

/** Tried in turn until a container with all limits starts; what a plain engine does comes first. */
async function candidates(kind: OciKind): Promise<readonly Flags[]> {
  const limits = await hardLimits();
  const plain = { globalFlags: [], runFlags: [] };
  const limited = { globalFlags: [], runFlags: limits };
  if (kind === 'docker') return [plain, limited];
  // crun refuses hybrid control groups, and systemd is not everywhere; runc and plain files are.
  const runc = ['--runtime', 'runc'];
  const bare = [...runc, '--cgroup-manager', 'cgroupfs', '--events-backend', 'file'];
  return [
    plain,
    limited,
    { globalFlags: runc, runFlags: [] },
    { globalFlags: runc, runFlags: limits },
    { globalFlags: bare, runFlags: limits },
  ];
}

/** As `/proc/self/limits` has them; `enough` because an engine may have less to give than this process has. */
const LIMITS = [
  { title: 'Max open files', name: 'nofile', enough: 20_000 },
  { title: 'Max processes', name: 'nproc', enough: 30_000 },
] as const;

/** The engine's own defaults may be above what this machine allows, and then nothing starts at all. */
async function hardLimits(): Promise<readonly string[]> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => ''); // not Linux
  return LIMITS.flatMap(({ title, name, enough }) => {
    const hard = new RegExp(`^${title}\\s+\\S+\\s+(\\d+|unlimited)`, 'm').exec(text)?.[1];
    const limit = Math.min(hard === 'unlimited' ? Infinity : Number(hard), enough);
    return Number.isNaN(limit) ? [] : ['--ulimit', `${name}=${limit}:${limit}`];
  });
}

/**
 * Finds out by trying, once per engine and boot: the outcome is kept in the cache folder, because every
 * trial has a supervisor of its own that needs it.
 */
export async function tuningOf(kind: OciKind): Promise<TuningResult> {
  const file = await tuningFile(kind);
  if (file === null)
    return { ok: false, version: null, reason: `there is no program ${kind} on PATH` };
  const known = await readTuning(file);
  if (known !== null) return { ok: true, tuning: known };
  const found = await probe(kind);
  if (found.ok) {
    await mkdir(join(cacheDir(), 'engines'), { recursive: true, mode: 0o700 });
    await writeJsonAtomic(file, found.tuning, { mode: 0o600, sync: 'nothing' });
  }
  return found;
}

/** Named after all that the outcome depends on; null when the engine has no client here. */
async function tuningFile(kind: OciKind): Promise<string | null> {
  const program = await whichProgram(kind, process.env);
  if (program === null) return null;
  const { mtimeMs, size } = await stat(program);
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''); // not Linux
  const { DOCKER_HOST, CONTAINER_HOST, CONTAINERS_CONF } = process.env;
  const facts = [program, mtimeMs, size, boot, DOCKER_HOST, CONTAINER_HOST, CONTAINERS_CONF];
  const uid = process.getuid?.() ?? 0;
  const key = createHash('sha256')
    .update(JSON.stringify([...facts, uid]))
    .digest('hex');
  return join(cacheDir(), 'engines', `${kind}-${key.slice(0, 16)}.json`);
}

async function readTuning(file: string): Promise<Tuning | null> {
  try {
    const tuning = JSON.parse(await readFile(file, 'utf8')) as Tuning;
    return Array.isArray(tuning.globalFlags) && Array.isArray(tuning.runFlags) ? tuning : null;
  } catch {
    return null; // none yet, or damaged: it is found out again
  }
}

async function probe(kind: OciKind): Promise<TuningResult> {
  const info = await engineInfo(kind);
  if (!info.ok) return info;
  const { version, cpus: processors, rootless } = info;
  let reason = 'no container could be started';
  for (const flags of await candidates(kind)) {
    const tried = await tryRun(kind, flags);
    if (tried === null) {
      return { ok: true, tuning: { version, ...flags, cpus: processors, rootless } };
    }
    reason = tried;
  }
  return { ok: false, version, reason };
}

type Info =
  | {
      readonly ok: true;
      readonly version: string;
      readonly cpus: number;
      readonly rootless: boolean;
    }
  | { readonly ok: false; readonly version: string | null; readonly reason: string };

async function engineInfo(kind: OciKind): Promise<Info> {
  const argv = [kind, 'info', '--format', '{{json .}}'] as const;
  const asked = await callEngine(argv);
  const info = asked.ok ? parsed(asked.stdout) : null;
  if (info === null) return { ok: false, version: null, reason: reasonOf(kind, asked) };
  // The client of docker answers well although its daemon does not.
  const errors = info['ServerErrors'];
  if (Array.isArray(errors) && errors.length > 0) {
    return { ok: false, version: null, reason: String(errors[0]) };
  }
  return kind === 'docker' ? dockerInfo(info) : podmanInfo(info);
}

function dockerInfo(info: Record<string, unknown>): Info {
  const options = Array.isArray(info['SecurityOptions']) ? info['SecurityOptions'] : [];
  return {
    ok: true,
    version: textOf(info['ServerVersion']),
    cpus: Number(info['NCPU'] ?? cpus().length),
    rootless: options.some((option) => String(option).includes('rootless')),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function podmanInfo(info: Record<string, unknown>): Info {
  const host = (info['host'] ?? {}) as Record<string, unknown>;
  const security = (host['security'] ?? {}) as Record<string, unknown>;
  const version = (info['version'] ?? {}) as Record<string, unknown>;
  return {
    ok: true,
    version: textOf(version['Version']),
    cpus: Number(host['cpus'] ?? cpus().length),
    rootless: security['rootless'] === true,
  };
}

/** @returns what is wrong, or null when a container with every limit of a trial ran */
async function tryRun(kind: OciKind, { globalFlags, runFlags }: Flags): Promise<string | null> {
  if (!(await importProbeImage(kind))) return null; // no image can be made here: the first trial shows it
  const limits = resourceFlags({ memoryBytes: 64 * 1024 * 1024, cpus: '1', pidsLimit: 64 });
  const argv = [kind, ...globalFlags, 'run', '--rm', '--network', 'none', ...runFlags] as const;
  const tried = await callEngine([...argv, ...limits, ...securityFlags(), PROBE_IMAGE, 'true']);
  return tried.ok ? null : reasonOf(kind, tried);
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null; // a client that prints something else is no engine
  }
}

/** The tuning, or the reason why the engine can't be used. @throws LlmxError `engine_unreachable` */
export async function mustTune(kind: OciKind): Promise<Tuning> {
  const found = await tuningOf(kind);
  if (found.ok) return found.tuning;
  throw unreachable(kind, found.reason);
}
