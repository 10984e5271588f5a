import { setTimeout as delay } from 'node:timers/promises';
import { hostUser } from './agent-user.js';
import { clientEnv } from './client-env.js';
import type {
  BuildCache,
  ClientCommand,
  ContainerEngine,
  ContainerRow,
  ContainerRun,
  ImageRow,
  Mount,
} from './engine.js';
import { callEngine, lastLine, mustCall, reasonOf, unreachable } from './engine-call.js';
import { parseCacheSize, parseContainers, parseImages } from './oci-output.js';
import { buildImage } from './oci-build.js';
import { endMonitors } from './podman-monitors.js';
import { flagPairs, resourceFlags, securityFlags } from './run-flags.js';
import { mustTune, tuningOf, type Tuning } from './tuning.js';

const CLEAR_TIMEOUT_MS = 10 * 60_000;

const DOCKER_CACHE: BuildCache = {
  sizeBytes: async () => {
    const rows = await mustCall('docker', ['docker', 'system', 'df', '--format', '{{json .}}']);
    return parseCacheSize(rows);
  },
  clear: async () => {
    const argv = ['docker', 'builder', 'prune', '--all', '--force'] as const;
    await mustCall('docker', argv, CLEAR_TIMEOUT_MS);
  },
};

/** docker and podman: one command line but for a handful of words. */
export function ociEngine(kind: 'docker' | 'podman'): ContainerEngine {
  let known: Promise<Tuning> | null = null;
  const tuning = (): Promise<Tuning> =>
    (known ??= mustTune(kind).catch((error: unknown) => {
      known = null; // an engine that is down now may be up at the next call
      throw error;
    }));
  return {
    kind,
    probe: async () => {
      const found = await tuningOf(kind);
      return found.ok
        ? {
            ok: true,
            version: found.tuning.version,
            detail: describe(kind, found.tuning),
            hint: null,
          }
        : {
            ok: false,
            version: found.version,
            detail: found.reason,
            hint: mend(kind, found.reason),
          };
    },
    user: async () => userOf(kind, (await tuning()).rootless),
    runCommand: async (run) => runCommandOf(kind, run, await tuning()),
    runFailure: (exit, stderr) => runFailure(kind, exit, stderr),
    remove: (name) => remove(kind, name),
    giveAllCpus: async (name) => {
      const { cpus } = await tuning();
      await mustCall(kind, [kind, 'update', '--cpus', `${cpus}`, name]);
    },
    containers: (labels) => containers(kind, labels),
    images: async () => images(kind),
    image: (reference) => image(kind, reference),
    build: async (build) => buildImage(kind, build, await tuning()),
    removeImage: async (reference) => (await callEngine([kind, 'rmi', reference])).ok,
    // podman has its layers among the images, and removes them with the last image that needs them.
    ...(kind === 'docker' ? { buildCache: DOCKER_CACHE } : {}),
  };
}

function describe(kind: string, { version, rootless, globalFlags }: Tuning): string {
  const how = globalFlags.length === 0 ? '' : `, started with ${globalFlags.join(' ')}`;
  return `${kind} ${version}${rootless ? ' without root' : ''}${how}`;
}

/** The next command for what is known to go wrong. */
function mend(kind: 'docker' | 'podman', reason: string): string {
  if (/no program/.test(reason)) return `install ${kind}, then: llmx-client doctor`;
  if (/Cannot connect|daemon running|connection refused|no such file/i.test(reason)) {
    return kind === 'docker' ? 'sudo systemctl start docker' : 'podman machine start';
  }
  if (/permission denied.*(docker|podman)[^ ]*\.sock/i.test(reason))
    return 'sudo usermod -aG docker "$USER" && newgrp docker';
  if (/subuid|newuidmap/i.test(reason)) {
    return 'sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "$USER"';
  }
  if (/crun|runc|OCI runtime/i.test(reason)) return 'sudo apt-get install runc';
  return `${kind} info`;
}

/** Where docker itself has no root, this user is root inside and nobody outside. */
function userOf(kind: 'docker' | 'podman', rootless: boolean): string {
  return kind === 'docker' && rootless && process.getuid?.() !== 0 ? '0:0' : hostUser();
}

function runCommandOf(kind: 'docker' | 'podman', run: ContainerRun, tuning: Tuning): ClientCommand {
  const cpus = `${Math.min(Number(run.cpus), tuning.cpus)}`;
  const argv = [
    ...['run', '--rm', '--interactive', '--pull', 'never', '--name', run.name],
    ...(run.hasTerminal === true ? ['--tty'] : []),
    ...flagPairs('--label', run.labels),
    ...(kind === 'podman' && tuning.rootless ? ['--userns', 'keep-id'] : []),
    ...['--user', run.user, '--workdir', run.workdir],
    // An open network is the engine's own default, whatever that is here.
    ...(run.network === 'none' ? ['--network', 'none'] : []),
    ...resourceFlags({ memoryBytes: run.memory.bytes, cpus, pidsLimit: run.pidsLimit }),
    ...securityFlags(),
    ...tuning.runFlags,
    ...run.mounts.flatMap((mount) => ['--mount', mountOf(mount)]),
    ...flagPairs('--env', run.env),
    '--entrypoint',
    run.argv[0],
    run.image,
    ...run.argv.slice(1),
  ];
  return { argv: [kind, ...tuning.globalFlags, ...argv], env: clientEnv() };
}

/** The value is read as CSV, so a comma or a quote in a path is quoted as CSV has it. */
function mountOf({ source, target, readOnly }: Mount): string {
  const field = (text: string): string =>
    /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const fields = ['type=bind', `source=${source}`, `target=${target}`];
  return [...fields, ...(readOnly ? ['readonly'] : [])].map(field).join(',');
}

/** Codes from 125 on are the engine's: it could not start the command, or the container was killed. */
function runFailure(kind: string, exit: number, stderr: string): string | null {
  if (exit === 137) return 'the container was killed (exit 137), perhaps for lack of memory';
  return exit >= 125 ? `${kind}: ${lastLine(stderr) ?? `exit ${exit}`}` : null;
}

async function remove(kind: 'docker' | 'podman', name: string): Promise<boolean> {
  const wasThere = await removeContainer(kind, name);
  if (kind === 'docker' || (await endMonitors(name))) return wasThere;
  throw unreachable(kind, `the first process of ${name} can not be ended`);
}

async function removeContainer(kind: 'docker' | 'podman', name: string): Promise<boolean> {
  const time = kind === 'podman' ? ['--time', '0'] : [];
  const asked = await callEngine([kind, 'rm', '--force', ...time, '--volumes', name]);
  if (asked.ok) return asked.stdout.includes(name);
  if (/no such container|no container with name|does not exist/i.test(asked.stderr)) return false;
  // The engine itself is at it: only then is it known to be gone.
  if (/already in progress/i.test(asked.stderr) && (await isGoneSoon(kind, name))) return true;
  throw unreachable(kind, reasonOf(kind, asked));
}

const GONE_WITHIN_MS = 15_000;

async function isGoneSoon(kind: 'docker' | 'podman', name: string): Promise<boolean> {
  const deadline = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const asked = await callEngine([kind, 'container', 'inspect', '--format', '{{.Id}}', name]);
    if (!asked.ok && /no such/i.test(asked.stderr)) return true;
    if (performance.now() > deadline) return false;
    await delay(50);
  }
}

async function containers(
  kind: 'docker' | 'podman',
  labels: Readonly<Record<string, string>>,
): Promise<readonly ContainerRow[]> {
  const filters = Object.entries(labels).flatMap(([name, value]) => [
    '--filter',
    `label=${name}=${value}`,
  ]);
  const format = kind === 'podman' ? 'json' : '{{json .}}';
  const argv = [kind, 'ps', '--all', '--no-trunc', ...filters, '--format', format] as const;
  return parseContainers(await listing(kind, argv));
}

const LISTING_TRIES = 5;

/** podman looks at one entry after another, and fails when somebody has just removed one. */
async function listing(
  kind: 'docker' | 'podman',
  argv: readonly [string, ...string[]],
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const asked = await callEngine(argv);
    if (asked.ok) return asked.stdout;
    const isGone = /not known|no such (image|container)|does not exist/i.test(asked.stderr);
    if (!isGone || tries === LISTING_TRIES) throw unreachable(kind, reasonOf(kind, asked));
    await delay(50 * tries);
  }
}

async function image(kind: 'docker' | 'podman', reference: string): Promise<ImageRow | null> {
  const asked = await callEngine([kind, 'image', 'inspect', reference]);
  if (asked.ok) return parseImages(asked.stdout)[0] ?? null;
  if (/no such image|not known|unable to find/i.test(asked.stderr)) return null;
  throw unreachable(kind, reasonOf(kind, asked));
}

async function images(kind: 'docker' | 'podman'): Promise<readonly ImageRow[]> {
  if (kind === 'podman') {
    return parseImages(
      await listing(kind, [kind, 'image', 'ls', '--no-trunc', '--format', 'json']),
    );
  }
  const argv = [kind, 'image', 'ls', '--no-trunc', '--quiet'] as const;
  const ids = [...new Set((await listing(kind, argv)).split('\n').filter((id) => id !== ''))];
  if (ids.length === 0) return [];
  // One that was removed meanwhile is an error, and the rest is printed all the same.
  const asked = await callEngine([kind, 'image', 'inspect', ...ids]);
  if (!asked.stdout.trimStart().startsWith('[')) {
    throw unreachable(kind, reasonOf(kind, asked));
  }
  return parseImages(asked.stdout);
}
