import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ContainerEngine } from '../../runtimes/containers/engine.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { canonicalJson, sha256 } from '../../support/hash.js';
import { baseDockerfile } from './base-dockerfile.js';
import { expectedVersions, VERSIONS_PROGRAM } from './base-files.js';
import type { BaseRecipe } from './base-recipe.js';
import { buildImage, withImageLock, type BuiltImage } from './build-image.js';
import { hostFacts, writeHostBase } from './host-base.js';
import { forgetImages } from './image-record.js';
import { AGENTS_LABEL, INPUT_LABEL, KIND_LABEL } from './names.js';

export interface BaseImageInput {
  readonly layout: Pick<StateLayout, 'root' | 'logsDir' | 'imagesDir'>;
  readonly engine: ContainerEngine;
  /** Name of the image to make. */
  readonly reference: string;
  readonly recipe: Omit<BaseRecipe, 'hasCaFile'>;
  /** Certificates that this network needs, or null. */
  readonly caFile: string | null;
  readonly noCache?: boolean;
  readonly log?: (line: string) => void;
}

/**
 * Builds the base image, unless there is one of the same input.
 * @throws LlmxError `image_build_failed`, `image_foreign`, `usage`, `engine_unreachable`
 */
export async function buildBaseImage(input: BaseImageInput): Promise<BuiltImage> {
  const { engine, reference, layout } = input;
  const certificates = input.caFile === null ? null : await readCertificates(input.caFile);
  const recipe: BaseRecipe = { ...input.recipe, hasCaFile: certificates !== null };
  const dockerfile = baseDockerfile(recipe);
  return withImageLock(engine, reference, async () => {
    const found = await engine.image(reference);
    if (found !== null && found.labels[KIND_LABEL] !== 'base') throw foreign(reference);
    const hashWith = (from: unknown): string =>
      sha256(
        canonicalJson({
          dockerfile,
          versions: VERSIONS_PROGRAM,
          expected: expectedVersions(recipe),
          certificates: certificates === null ? null : sha256(certificates),
          from,
        }),
      );
    const inputHash = hashWith(await startOf(engine, recipe));
    // Where the build itself fetched the image it starts from, nobody knew its content before.
    const isCurrent = [inputHash, hashWith(null)].includes(found?.labels[INPUT_LABEL] ?? '');
    if (found !== null && isCurrent && input.noCache !== true) {
      return { imageId: found.id, reference, built: false };
    }
    const built = await buildImage({
      layout,
      engine,
      kind: 'base',
      reference,
      inputHash,
      dockerfile,
      logName: 'build-base.txt',
      noCache: input.noCache === true,
      labels: { [AGENTS_LABEL]: JSON.stringify(recipe.agents) },
      log: input.log,
      fillContext: async (dir) => {
        await writeFile(join(dir, 'versions.mjs'), VERSIONS_PROGRAM);
        await writeFile(join(dir, 'expected.json'), JSON.stringify(expectedVersions(recipe)));
        if (input.caFile !== null) await copyFile(input.caFile, join(dir, 'ca.crt'));
        if (recipe.source.kind === 'host') await writeHostBase(dir, recipe);
      },
    });
    await forgetImages(layout);
    return built;
  });
}

async function readCertificates(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const problem = `the CA file ${file} can not be read`;
    throw new LlmxError(
      'usage',
      { problem, hint: 'llmx-client build base --ca-file FILE' },
      { cause },
    );
  }
}

/** The image it starts from by content, as far as it is here; a name may come to mean another one. */
async function startOf(
  engine: ContainerEngine,
  { source, ...recipe }: BaseRecipe,
): Promise<unknown> {
  if (source.kind === 'image') return (await engine.image(source.from))?.id ?? null;
  return hostFacts({ source, ...recipe });
}

function foreign(reference: string): LlmxError {
  return new LlmxError('image_foreign', {
    reference,
    problem: 'would be replaced',
    hint: 'export LLMX_BASE_IMAGE=llmx-base:latest',
  });
}
