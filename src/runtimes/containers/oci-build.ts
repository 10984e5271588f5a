import { LlmxError } from '../../errors/llmx-error.js';
import type { ImageBuild } from './engine.js';
import { lastLine } from './engine-call.js';
import { runLogged } from './logged-run.js';
import { flagPairs } from './run-flags.js';
import type { Tuning } from './tuning.js';

/** @throws LlmxError `image_build_failed` */
export async function buildImage(
  kind: 'docker' | 'podman',
  build: ImageBuild,
  tuning: Tuning,
): Promise<void> {
  const args = [
    ...['build', '--tag', build.tag, '--file', `${build.contextDir}/${build.file}`],
    ...flagPairs('--build-arg', build.buildArgs),
    ...flagPairs('--label', build.labels),
    ...tuning.runFlags,
    ...(build.noCache === true ? ['--no-cache'] : []),
    build.contextDir,
  ];
  const { logFile, timeoutMs } = build;
  const end = await runLogged([kind, ...tuning.globalFlags, ...args], { logFile, timeoutMs });
  if (end.ok) return;
  const reason = end.timedOut ? 'it took too long' : (lastLine(end.output) ?? 'no reason given');
  throw new LlmxError('image_build_failed', {
    tag: build.tag,
    reason,
    log: logFile,
    hint: `cat ${logFile}`,
  });
}
