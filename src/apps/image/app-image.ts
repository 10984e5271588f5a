import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AppSpec } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ContainerEngine } from '../../runtimes/containers/engine.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { canonicalJson, sha256 } from '../../support/hash.js';
import type { AppCommits } from '../template/app-source.js';
import { bundleApp } from '../template/bundle-app.js';
import { appDockerfile, START_SERVICES, taskDockerfile } from './app-recipe.js';
import type { AssemblyFile } from './assemble/assembly-file.js';
import { buildImage, withImageLock, type BuiltImage } from './build-image.js';
import { assertHoldsApp } from './foreign-image.js';
import { readImageRecord, writeImageRecord } from './image-record.js';
import { INPUT_LABEL, KIND_LABEL, NAME_LABEL, taskImage } from './names.js';

/** Runs in the build of an image; one file without dependencies, made by the build of llmx. */
const ASSEMBLE_PROGRAM = fileURLToPath(new URL('../assemble.mjs', import.meta.url));

export interface AppImageInput {
  readonly layout: Pick<StateLayout, 'root' | 'logsDir' | 'imagesDir' | 'imageRecord'>;
  readonly engine: ContainerEngine;
  readonly app: AppSpec;
  /** The app's checkout on this host. */
  readonly checkout: string;
  readonly commits: AppCommits;
  /** Name of the base image. */
  readonly baseImage: string;
  /**
   * Only this task's branch is in the image: an agent that can read the others finds the fix in them.
   * @defaultValue all tasks
   */
  readonly task?: string;
  /** Asks the engine although there is a record. @defaultValue false */
  readonly verify?: boolean;
  /** Builds although nothing has changed. @defaultValue false */
  readonly noCache?: boolean;
  readonly log?: (line: string) => void;
  /** @defaultValue the one that the build of llmx has made */
  readonly programFile?: string;
}

/**
 * The image that trials of an app start from, built when there is none of this input. With a record of it the
 * engine is not asked.
 * @throws LlmxError `image_missing` (no base image), `image_foreign`, `image_build_failed`,
 * `app_setup_failed`, `template_not_flat`, `checkout_unusable`, `engine_unreachable`
 */
export async function ensureAppImage(input: AppImageInput): Promise<BuiltImage> {
  const key = await recordKey(input);
  if (input.verify !== true && input.noCache !== true) {
    const known = await readImageRecord(input.layout, key);
    if (known !== null) {
      return { imageId: known.imageId, reference: known.reference, built: false };
    }
  }
  const image = input.task === undefined ? await wholeApp(input) : await oneTask(input, input.task);
  const { imageId, reference } = image;
  await writeImageRecord(input.layout, key, { imageId, reference });
  return image;
}

/** Goes up whenever the same input would give another image. */
const IMAGE_VERSION = 1;

/** All that can be told without the engine. */
async function recordKey(input: AppImageInput): Promise<string> {
  const { app, commits, baseImage, task } = input;
  const { DOCKER_HOST, CONTAINER_HOST } = process.env;
  return sha256(
    canonicalJson({
      version: IMAGE_VERSION,
      engine: [input.engine.kind, DOCKER_HOST ?? null, CONTAINER_HOST ?? null],
      app: appFacts(app),
      commits,
      baseImage,
      task: task ?? null,
      program: await programHash(input),
      texts: texts(app),
    }),
  );
}

function appFacts({ key, neutralize, setup, image }: AppSpec): object {
  return { key, neutralize, setup, image };
}

/** Another version of llmx may write other files. */
function texts(app: AppSpec): readonly string[] {
  return [appDockerfile(app, ''), taskDockerfile(''), START_SERVICES];
}

async function programHash({ programFile = ASSEMBLE_PROGRAM }: AppImageInput): Promise<string> {
  return sha256(await readFile(programFile));
}

function wholeApp(input: AppImageInput): Promise<BuiltImage> {
  const { engine, app } = input;
  return withImageLock(engine, app.image, async () => {
    const found = await engine.image(app.image);
    // An image that a person made from one of ours has our labels too, but under another name.
    const kind = found?.labels[NAME_LABEL] === app.image ? found.labels[KIND_LABEL] : undefined;
    if (kind !== undefined && kind !== 'app') throw otherKind(app.image, kind);
    if (found !== null && kind === undefined) {
      await assertHoldsApp(engine, found.id, { app, tasks: Object.keys(input.commits.tasks) });
      return { imageId: found.id, reference: app.image, built: false };
    }
    const inputHash = await fullHash(input, await mustFindBase(input));
    if (found?.labels[INPUT_LABEL] === inputHash && input.noCache !== true) {
      return { imageId: found.id, reference: app.image, built: false };
    }
    return buildApp(input, inputHash);
  });
}

function otherKind(reference: string, kind: string): LlmxError {
  const problem = `is a ${kind} image`;
  return new LlmxError('image_foreign', {
    reference,
    problem,
    hint: 'give the app another image: in experiment.yml',
  });
}

async function mustFindBase({ engine, baseImage }: AppImageInput): Promise<string> {
  const image = await engine.image(baseImage);
  if (image !== null) return image.id;
  const hint = 'llmx-client build base';
  throw new LlmxError('image_missing', { reference: baseImage, kind: engine.kind, hint });
}

/** With the base image's content, which the record's key only knows by name. */
async function fullHash(input: AppImageInput, baseId: string): Promise<string> {
  return sha256(canonicalJson({ key: await recordKey(input), baseId }));
}

async function buildApp(input: AppImageInput, inputHash: string): Promise<BuiltImage> {
  const { layout, engine, app, checkout, commits } = input;
  return buildImage({
    layout,
    engine,
    kind: 'app',
    reference: app.image,
    inputHash,
    dockerfile: appDockerfile(app, input.baseImage),
    logName: `build-app-${app.key}.txt`,
    noCache: input.noCache === true,
    log: input.log,
    fillContext: async (dir) => {
      const { key, neutralize, setup } = app;
      const file = join(dir, 'app.bundle');
      const refs = await bundleApp({ app: key, checkout, commits, neutralize, file });
      await writeAssembly(input, dir, {
        schemaVersion: 1,
        kind: 'app',
        app: key,
        setup,
        refs: [...refs],
      });
      await writeFile(join(dir, 'start-services'), START_SERVICES);
    },
  });
}

async function oneTask(input: AppImageInput, task: string): Promise<BuiltImage> {
  const { task: _whole, ...whole } = input;
  const app = await ensureAppImage(whole);
  const reference = taskImage(input.app.image, task);
  return withImageLock(input.engine, reference, async () => {
    const inputHash = await fullHash(input, app.imageId);
    const found = await input.engine.image(reference);
    if (found?.labels[INPUT_LABEL] === inputHash && input.noCache !== true) {
      return { imageId: found.id, reference, built: false };
    }
    return buildImage({
      layout: input.layout,
      engine: input.engine,
      kind: 'task',
      reference,
      inputHash,
      dockerfile: taskDockerfile(input.app.image),
      logName: `build-app-${input.app.key}-task.txt`,
      noCache: input.noCache === true,
      log: input.log,
      fillContext: (dir) =>
        writeAssembly(input, dir, {
          schemaVersion: 1,
          kind: 'task',
          app: input.app.key,
          branch: `trial/${task}`,
        }),
    });
  });
}

async function writeAssembly(
  { programFile = ASSEMBLE_PROGRAM }: AppImageInput,
  dir: string,
  assembly: AssemblyFile,
): Promise<void> {
  await copyFile(programFile, join(dir, 'assemble.mjs'));
  await writeFile(join(dir, 'assembly.json'), JSON.stringify(assembly));
}
