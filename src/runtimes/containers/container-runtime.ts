import { spawn, type ChildProcess } from 'node:child_process';
import { chown, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { APP_DIR, SANDBOX_DIR } from '../../domain/trial/program-contract.js';
import { LlmxError } from '../../errors/llmx-error.js';
import { isErrno } from '../../support/atomic-file.js';
import { sandboxPaths } from '../sandbox-paths.js';
import type {
  LeftoversEnd,
  Runtime,
  Sandbox,
  SandboxCommand,
  SandboxEnd,
  SandboxRequest,
  TrialMarker,
} from '../runtime.js';
import { TRIAL_VARIABLE } from '../marked-processes.js';
import { removeFolder } from '../remove-folder.js';
import { clientEnd, type ClientEnd } from './client-end.js';
import type { ClientCommand, ContainerEngine, ContainerRun } from './engine.js';
import { OOM_FILE, OUT_VARIABLE, withFirstProcess } from './first-process.js';
import { containerLabels, containerName, STATE_LABEL, TRIAL_LABEL } from './names.js';

/** Enough for the test suites that start a process per core, and an end to a fork bomb. */
const PIDS_LIMIT = 2_048;

/** Exit code of an engine that could not do what it should. */
const OWN_FAILURE = 125;

/** podman leaves an empty file `oom` in the folder it was started in, when the kernel killed in the container. */
const UNWRITABLE = process.platform === 'linux' ? '/proc' : '/';

/** Exit code of a command that the kernel, or the engine, has killed. */
const KILLED = 137;

/**
 * Runs a trial in a container of its own, and grades it in another. Only the sandbox's folders are shared
 * with the host; the rest of what the container writes goes with it.
 */
export function containerRuntime(engine: ContainerEngine): Runtime {
  return {
    kind: engine.kind,
    gradesApart: true,
    probe: () => engine.probe(),
    prepare: (request) => prepare(engine, request),
    run: (sandbox, command) => run(engine, sandbox, command),
    giveAllCpus: async ({ container }) => {
      if (container !== null) await engine.giveAllCpus?.(container.name);
    },
    endLeftovers: (marker) => endLeftovers(engine, marker),
    findLeftovers: async (stateId) => {
      const rows = await engine.containers({ [STATE_LABEL]: stateId });
      return [...new Set(rows.flatMap(({ labels }) => labels[TRIAL_LABEL] ?? []))];
    },
    destroy: (_marker, root) => removeFolder(root),
  };
}

async function prepare(engine: ContainerEngine, request: SandboxRequest): Promise<Sandbox> {
  const { marker, stage, image } = request;
  if (image === null) throw new Error('a container needs an image');
  const host = sandboxPaths(request.root);
  const inside = sandboxPaths(SANDBOX_DIR);
  await mkdir(host.root, { recursive: true, mode: 0o700 });
  await Promise.all(
    // The two checkouts are made inside, from what the image holds.
    [host.home, host.out, host.inputs, host.tmp].map((dir) => mkdir(dir, { mode: 0o700 })),
  );
  return {
    marker,
    stage,
    host,
    inside,
    node: 'node',
    env: {
      HOME: inside.home,
      TMPDIR: inside.tmp,
      LANG: 'C.UTF-8',
      [TRIAL_VARIABLE]: marker.trialHash,
    },
    imageId: image,
    groups: null,
    limits: ['memory', 'cpus', 'pids'],
    container: {
      name: containerName(marker, stage),
      appDir: APP_DIR,
      image,
      labels: containerLabels(marker, request.grid),
      memory: request.memory,
      cpus: request.cpus,
      network: request.network === 'open' ? 'open' : 'none',
      user: await engine.user(),
    },
  };
}

/** The first process of a container ends last, and with it the kernel ends all others in it. */
const NOTHING_LEFT = {
  machineOom: false,
  leftoversKilled: 0,
  leftoversAlive: 0,
  proof: 'container',
} as const;

async function run(
  engine: ContainerEngine,
  sandbox: Sandbox,
  command: SandboxCommand,
): Promise<SandboxEnd> {
  const { container, host } = sandbox;
  if (container === null) throw new Error('the sandbox was made by another runtime');
  await giveTo(container.user, host.root);
  let client: ClientCommand;
  try {
    client = await engine.runCommand(containerRun(sandbox, container, command));
  } catch (error) {
    if (error instanceof LlmxError && error.code === 'image_missing') return notStarted(error);
    throw error;
  }
  const child = start(client, command);
  const end = await clientEnd(child, command, async () => {
    try {
      await engine.remove(container.name);
    } finally {
      // A client that hangs does not notice that its container is gone.
      child.kill('SIGKILL');
    }
  });
  const failure = failureOf(engine, end);
  // A client that died, or a container that was ended: whatever is left of it goes now.
  const isOurs = failure === null || !NAME_TAKEN.test(failure);
  if ((failure !== null || end.wasEnded) && isOurs) await engine.remove(container.name);
  const isImageGone = isOwnFailure(end) && (await engine.image(container.image)) === null;
  const isOutOfMemory = await takeOomFile(join(host.out, OOM_FILE));
  return {
    ...NOTHING_LEFT,
    exit: end.wasEnded ? null : exitOf(end, failure),
    signal: end.wasEnded ? 'SIGKILL' : end.signal,
    timedOut: end.timedOut,
    oom: isOutOfMemory && end.exit === KILLED,
    agentOom: isOutOfMemory && end.exit !== KILLED,
    detail: end.timedOut || end.wasEnded ? null : failure,
    ...(isImageGone ? { imageGone: true } : {}),
  };
}

/** The engine has a container of this trial: somebody else's, who started it first. */
const NAME_TAKEN = /already (in use|exists)/i;

function notStarted({ message }: LlmxError): SandboxEnd {
  return {
    ...NOTHING_LEFT,
    exit: OWN_FAILURE,
    signal: null,
    timedOut: false,
    oom: false,
    agentOom: false,
    detail: message,
    imageGone: true,
  };
}

function containerRun(
  sandbox: Sandbox,
  container: NonNullable<Sandbox['container']>,
  command: SandboxCommand,
): ContainerRun {
  const { host, inside } = sandbox;
  return {
    ...container,
    pidsLimit: PIDS_LIMIT,
    mounts: [{ source: host.root, target: inside.root, readOnly: false }],
    env: { ...command.env, [OUT_VARIABLE]: inside.out },
    workdir: inside.root,
    argv: withFirstProcess(command.argv),
  };
}

/**
 * The client has the host lock as well: should the supervisor be killed, the lock is held until the client,
 * and so the container, has ended.
 */
function start(client: ClientCommand, command: SandboxCommand): ChildProcess {
  const [program, ...args] = client.argv;
  const { holdFd = null } = command;
  const child = spawn(program, args, {
    cwd: UNWRITABLE,
    env: client.env,
    detached: true,
    stdio: ['pipe', 'inherit', 'pipe', ...(holdFd === null ? [] : [holdFd])],
  });
  child.stdin?.on('error', () => undefined); // whoever does not read it has ended, or will not go on
  void command.goAhead?.then(() => child.stdin?.write('\n'));
  return child;
}

/** Root's folders become the agent's; without root they are his already. Nothing runs in them yet. */
async function giveTo(user: string, root: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  const names = await readdir(root, { recursive: true });
  await Promise.all(['.', ...names].map((name) => chown(join(root, name), uid, gid)));
}

/** Whether the first process has counted kills. The file is no result, so it does not stay. */
async function takeOomFile(file: string): Promise<boolean> {
  try {
    const isOurs = (await lstat(file)).isFile();
    // An agent may have put a folder in its place.
    await rm(file, { recursive: true, force: true });
    return isOurs;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

/** What a reader has to know about a command that did not end by itself. */
function failureOf(engine: ContainerEngine, { exit, signal, stderr }: ClientEnd): string | null {
  return exit === null
    ? `the client of ${engine.kind} was ended by ${signal ?? 'a signal'}`
    : engine.runFailure(exit, stderr);
}

/** The engine could not run the command at all. */
function isOwnFailure({ exit }: ClientEnd): boolean {
  return exit !== null && exit >= OWN_FAILURE && exit !== KILLED;
}

/** One code for a failure of the engine's own, whatever its client says it with. */
function exitOf({ exit }: ClientEnd, failure: string | null): number | null {
  return failure !== null && exit !== null ? Math.max(exit, OWN_FAILURE) : exit;
}

async function endLeftovers(engine: ContainerEngine, marker: TrialMarker): Promise<LeftoversEnd> {
  const names = (['trial', 'grade'] as const).map((stage) => containerName(marker, stage));
  const removed = await Promise.all(names.map((name) => engine.remove(name)));
  return { ended: removed.filter(Boolean).length, proof: 'container' };
}
