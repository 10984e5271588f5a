import { LlmxError } from '../../../errors/llmx-error.js';
import type { BuildCache } from '../engine.js';
import { ASK_MS, callContainer, CHANGE_MS, faultOf, mustContainer, RESTART } from './call.js';
import {
  describeEnvelope,
  envelopeFlags,
  meets,
  wantedEnvelope,
  type Envelope,
} from './envelope.js';
import { parseBuilder, type BuilderState } from './output.js';
import { ensureSystem } from './system.js';
import type { AppleVersion } from './version.js';

/** The first start fetches the builder's image. */
const START_MS = 5 * 60_000;

/** @throws LlmxError `engine_unreachable` */
export async function findBuilder(): Promise<BuilderState | null> {
  const args = ['builder', 'status', '--format', 'json'];
  const asked = await callContainer(args);
  if (asked.ok) return parseBuilder(asked.stdout);
  // Some versions say so with exit 1.
  if (/builder is not running/.test(asked.stdout + asked.stderr)) return null;
  if (asked.timedOut) throw wedged('builder status', ASK_MS);
  throw faultOf(args, asked, ASK_MS);
}

/**
 * Sees to a builder that has at least the envelope wanted. One that runs and has it is kept, with its cache;
 * any other is started anew.
 * @returns what the builder has, which every build must name
 * @throws LlmxError `engine_unreachable`
 */
export async function ensureBuilder(
  cli: AppleVersion,
  log: (line: string) => void,
): Promise<Envelope> {
  const wanted = wantedEnvelope();
  await ensureSystem(cli, log);
  const found = await findBuilder();
  if (found?.state === 'running') {
    if (meets(found, wanted)) return { cpus: found.cpus, memoryMb: found.memoryMb };
    log(`the builder has ${describeEnvelope(found)}; starting it anew`);
  }
  if (found !== null && found.state !== 'stopped') await endBuilder(log);
  log(`starting the image builder with ${describeEnvelope(wanted)}`);
  await startBuilder(wanted);
  return wanted;
}

/** Mildly at first; a builder that does not stop is deleted. */
async function endBuilder(log: (line: string) => void): Promise<void> {
  if ((await callContainer(['builder', 'stop'], CHANGE_MS)).ok) return;
  log('the builder does not stop; deleting it, and its cache with it');
  const deleted = await callContainer(['builder', 'delete', '--force'], CHANGE_MS);
  if (!deleted.ok) throw wedged('builder delete', CHANGE_MS);
}

async function startBuilder(envelope: Envelope): Promise<void> {
  const args = ['builder', 'start', ...envelopeFlags(envelope)];
  const started = await callContainer(args, START_MS);
  if (started.timedOut) throw wedged('builder start', START_MS);
  if (!started.ok) throw faultOf(args, started, START_MS);
  const now = await findBuilder();
  if (now?.state !== 'running') throw wedged('builder start', START_MS);
}

/** All of the builder, which nothing else makes smaller; the next build starts another. */
export const BUILDER_CACHE: BuildCache = {
  sizeBytes: async () => ((await findBuilder()) === null ? 0 : null),
  clear: async () => {
    await mustContainer(['builder', 'delete', '--force'], CHANGE_MS);
  },
};

/** Nothing but a new apiserver helps a builder that does not answer. */
function wedged(call: string, timeoutMs: number): LlmxError {
  return new LlmxError('engine_unreachable', {
    kind: 'apple',
    reason: `container ${call}: the image builder did not answer in ${timeoutMs / 1000} s`,
    hint: `container builder delete --force; ${RESTART}`,
  });
}
