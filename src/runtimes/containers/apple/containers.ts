import { LlmxError } from '../../../errors/llmx-error.js';
import type { ContainerRow } from '../engine.js';
import { callContainer, CHANGE_MS, mustContainer, RESTART } from './call.js';
import { parseContainers } from './output.js';

/** The CLI has no filters, and some versions list the running ones only without `--all`. */
export async function listContainers(
  labels: Readonly<Record<string, string>>,
): Promise<readonly ContainerRow[]> {
  const rows = parseContainers(await mustContainer(['ls', '--all', '--format', 'json']));
  if (rows === null) {
    throw new LlmxError('engine_unreachable', {
      kind: 'apple',
      reason: 'its list of containers is no JSON',
      hint: 'container ls --all --format json',
    });
  }
  const wanted = Object.entries(labels);
  return rows.filter((row) => wanted.every(([name, value]) => row.labels[name] === value));
}

/** A delete that met a container on its way out is tried again. */
const DELETES = 2;

/**
 * What the two calls answer is not believed: after a fault of the apiserver a container that runs is told to
 * be stopped, and nothing is done about it. What counts is that it is no longer listed.
 */
export async function removeContainer(name: string): Promise<boolean> {
  if (!(await isListed(name))) return false;
  await callContainer(['kill', name], CHANGE_MS);
  for (let tries = 0; tries < DELETES; tries += 1) {
    await callContainer(['delete', '--force', name], CHANGE_MS);
    if (!(await isListed(name))) return true;
  }
  throw new LlmxError('engine_unreachable', {
    kind: 'apple',
    reason: `container ${name} is still there after kill and delete`,
    hint: `end the process container-runtime-linux of ${name}, then: ${RESTART}`,
  });
}

async function isListed(name: string): Promise<boolean> {
  return (await listContainers({})).some((row) => row.name === name);
}
