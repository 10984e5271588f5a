import {
  ASK_MS,
  callContainer,
  faultOf,
  isApiserverDown,
  isNotFound,
  mustContainer,
} from './call.js';
import { LlmxError } from '../../../errors/llmx-error.js';
import { parseImages, shortName, type AppleImage } from './output.js';

/** The subcommand is `image list`; `images` fails in a confusing way. */
export async function listImages(): Promise<readonly AppleImage[]> {
  const listed = read(await mustContainer(['image', 'list', '--format', 'json']));
  // Older lists have names and digests only.
  const bare = listed.filter(({ sizeBytes }) => sizeBytes === null);
  const names = bare.flatMap(({ reference }) => reference ?? []);
  if (names.length === 0) return listed;
  const asked = await callContainer(['image', 'inspect', ...names]);
  // One that is gone meanwhile makes the call fail, after it has told of the others.
  const told = parseImages(asked.stdout) ?? bare;
  return [...listed.filter((image) => !bare.includes(image)), ...told];
}

export interface NamedImage extends AppleImage {
  readonly reference: string;
}

/**
 * By name, or by id (`sha256:…`), which the CLI itself would take for a name. It never pulls: only `run` and
 * `build` do that, without being asked, for a name that is not there.
 */
export async function findImage(nameOrId: string): Promise<NamedImage | null> {
  if (!nameOrId.startsWith('sha256:')) return inspect(nameOrId);
  const listed = read(await mustContainer(['image', 'list', '--format', 'json']));
  for (const { id, reference } of listed) {
    if (id !== nameOrId || reference === null) continue;
    const found = await inspect(reference);
    // The name may have gone to another image meanwhile.
    if (found?.id === nameOrId) return found;
  }
  return null;
}

async function inspect(name: string): Promise<NamedImage | null> {
  const args = ['image', 'inspect', name];
  const asked = await callContainer(args);
  if (asked.ok) {
    const image = read(asked.stdout)[0];
    return image === undefined ? null : { ...image, reference: image.reference ?? shortName(name) };
  }
  if (isNotFound(asked.stderr) && !isApiserverDown(asked.stderr)) return null;
  throw faultOf(args, asked, ASK_MS);
}

function read(output: string): readonly AppleImage[] {
  const images = parseImages(output);
  if (images !== null) return images;
  throw new LlmxError('engine_unreachable', {
    kind: 'apple',
    reason: 'its list of images is no JSON',
    hint: 'container image list --format json',
  });
}
