import { LlmxError } from '../../../errors/llmx-error.js';
import type { RuntimeProbe } from '../../runtime.js';
import { hostUser } from '../agent-user.js';
import { clientEnv } from '../client-env.js';
import type { ClientCommand, ContainerEngine, ContainerRun } from '../engine.js';
import { buildImage } from './build.js';
import { BUILDER_CACHE } from './builder.js';
import { callContainer, CHANGE_MS, RESTART } from './call.js';
import { listContainers, removeContainer } from './containers.js';
import { findImage, listImages } from './images.js';
import { runArgs } from './run-argv.js';
import { runFailure } from './run-failure.js';
import { findCli, findSystem } from './system.js';
import { missingProtections, tooOld, versionText, type AppleVersion } from './version.js';

/** Apple's `container`: a virtual machine of its own for each container. All calls of the CLI are in this folder. */
export function appleEngine(
  log: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): ContainerEngine {
  return {
    kind: 'apple',
    probe,
    // There is no mapping of users: files on the host belong to whoever wrote them inside.
    user: () => Promise.resolve(hostUser()),
    runCommand,
    runFailure,
    remove: removeContainer,
    containers: listContainers,
    images: listImages,
    image: findImage,
    build: async (build) => buildImage(await cliVersion(), build, log),
    removeImage: async (reference) =>
      (await callContainer(['image', 'delete', reference], CHANGE_MS)).ok,
    buildCache: BUILDER_CACHE,
  };
}

async function probe(): Promise<RuntimeProbe> {
  const cli = await findCli();
  if (!cli.ok) return { ok: false, version: null, detail: cli.reason, hint: cli.hint };
  const version = versionText(cli.version);
  const old = tooOld(cli.version);
  if (old !== null) return { ok: false, version, ...old };
  const system = await findSystem(cli.version);
  if (!system.ok) return { ok: false, version, detail: system.reason, hint: system.hint };
  return { ok: true, version, detail: describe(cli.version, system.version), hint: null };
}

function describe(version: AppleVersion, apiserver: AppleVersion | null): string {
  const missing = missingProtections(version);
  const [cli, server] = [versionText(version), apiserver === null ? null : versionText(apiserver)];
  return [
    `container ${cli}`,
    ...(missing.length === 0 ? [] : [`without ${missing.join(', ')}, which newer versions have`]),
    ...(server === null || server === cli ? [] : [`its apiserver is still ${server} (${RESTART})`]),
  ].join('; ');
}

/** @throws LlmxError `engine_unreachable` */
async function cliVersion(): Promise<AppleVersion> {
  const cli = await findCli();
  if (!cli.ok) {
    throw new LlmxError('engine_unreachable', {
      kind: 'apple',
      reason: cli.reason,
      hint: cli.hint,
    });
  }
  const old = tooOld(cli.version);
  if (old !== null) {
    throw new LlmxError('engine_unreachable', {
      kind: 'apple',
      reason: old.detail,
      hint: old.hint,
    });
  }
  return cli.version;
}

async function runCommand(run: ContainerRun): Promise<ClientCommand> {
  const version = await cliVersion();
  const image = await findImage(run.image);
  // The CLI would fetch it from a registry without a word.
  if (image === null) {
    throw new LlmxError('image_missing', {
      reference: run.image,
      kind: 'apple',
      hint: 'container image list',
    });
  }
  return { argv: ['container', ...runArgs({ version, image, run })], env: clientEnv() };
}
