import { LlmxError } from '../../../errors/llmx-error.js';
import type { ImageBuild } from '../engine.js';
import { runLogged } from '../logged-run.js';
import { flagPairs } from '../run-flags.js';
import { ensureBuilder } from './builder.js';
import { errorIn, RESTART } from './call.js';
import { ensureBuildDisk } from './disk.js';
import { envelopeFlags, type Envelope } from './envelope.js';
import type { AppleVersion } from './version.js';

/** @throws LlmxError `image_build_failed` and what a builder or a full disk brings */
export async function buildImage(
  version: AppleVersion,
  build: ImageBuild,
  log: (line: string) => void,
): Promise<void> {
  await ensureBuildDisk();
  const envelope = await ensureBuilder(version, log);
  const end = await runLogged(['container', ...buildArgs(build, envelope)], build);
  if (end.ok) return;
  const said = errorIn(end.output);
  throw new LlmxError('image_build_failed', {
    tag: build.tag,
    reason: end.timedOut ? 'it took too long' : (said ?? 'the builder died without a message'),
    log: build.logFile,
    hint: isBuilderLost(end.timedOut, said)
      ? `container builder delete --force; ${RESTART}`
      : `cat ${build.logFile}`,
  });
}

function buildArgs(build: ImageBuild, envelope: Envelope): readonly string[] {
  return [
    ...['build', '--tag', build.tag, '--file', `${build.contextDir}/${build.file}`],
    ...flagPairs('--build-arg', build.buildArgs),
    ...flagPairs('--label', build.labels),
    ...envelopeFlags(envelope),
    ...['--progress', 'plain'],
    ...(build.noCache === true ? ['--no-cache'] : []),
    build.contextDir,
  ];
}

/** A builder that starves or hangs says nothing, or that nobody answered. */
function isBuilderLost(timedOut: boolean, said: string | null): boolean {
  if (timedOut || said === null) return true;
  return /waiting for connection to builder|Transport became inactive|XPC connection/.test(said);
}
