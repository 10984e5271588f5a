import { createHash } from 'node:crypto';
import { AGENT_ID } from '../../runtimes/containers/agent-user.js';
import type { Environment } from '../../support/paths.js';

/** Labels of the images that llmx builds. */
export const KIND_LABEL = 'dev.llmx.kind';
/** Hash of all that an image was made from. */
export const INPUT_LABEL = 'dev.llmx.input';

/** Id of the state folder it was built for. Not the label of containers, which have those of their image too. */
export const BUILT_FOR_LABEL = 'dev.llmx.built-for';

/** Its name: who builds on one of our images gets its labels as well. */
export const NAME_LABEL = 'dev.llmx.name';

/** On a base image: JSON object of the agent CLIs that were asked for, with their versions. */
export const AGENTS_LABEL = 'dev.llmx.agents';

export type ImageKind = 'base' | 'app' | 'task';

/** The agent user of our images. */
export const AGENT = { name: 'agent', id: AGENT_ID, home: '/home/agent' } as const;

const DEFAULT_BASE_IMAGE = 'llmx-base:latest';

export function baseImage(env: Environment): string {
  const set = env['LLMX_BASE_IMAGE'];
  return set === undefined || set === '' ? DEFAULT_BASE_IMAGE : set;
}

/** Longest tag that engines take. */
const TAG_LENGTH = 128;

/** The image of one task of an app: the app's name, tagged with the task. */
export function taskImage(appImage: string, task: string): string {
  const slash = appImage.lastIndexOf('/');
  const colon = appImage.indexOf(':', slash + 1);
  const name = colon < 0 ? appImage : appImage.slice(0, colon);
  const tag = `task-${task}`;
  if (tag.length <= TAG_LENGTH) return `${name}:${tag}`;
  const digest = createHash('sha256').update(task).digest('hex').slice(0, 16);
  return `${name}:${tag.slice(0, TAG_LENGTH - digest.length - 1)}-${digest}`;
}
