import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_TABLE, type ErrorCode } from '../../errors/table.js';
import { LlmxError, type ErrorParams } from '../../errors/llmx-error.js';
import type { ContainerEngine } from '../../runtimes/containers/engine.js';
import type { StateLayout } from '../../storage/state-layout.js';
import { stateIdOf } from '../../storage/state-id.js';
import { acquireKernelLock } from '../../support/kernel-lock.js';
import { ERROR_MARK } from './assemble/assembly-file.js';
import { BUILT_FOR_LABEL, INPUT_LABEL, KIND_LABEL, NAME_LABEL, type ImageKind } from './names.js';

const BUILD_TIMEOUT_MS = 2 * 60 * 60_000;

export interface ImageInput {
  readonly layout: Pick<StateLayout, 'root' | 'logsDir'>;
  readonly engine: ContainerEngine;
  readonly kind: ImageKind;
  readonly reference: string;
  readonly inputHash: string;
  readonly dockerfile: string;
  /** Name of the log in the state folder. */
  readonly logName: string;
  readonly noCache: boolean;
  /** Beside those that every image has. @defaultValue none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Puts what the Dockerfile copies into the folder. */
  fillContext(dir: string): Promise<void>;
  readonly log?: ((line: string) => void) | undefined;
}

export interface BuiltImage {
  readonly imageId: string;
  readonly reference: string;
  /** False when it was there with the same input. */
  readonly built: boolean;
}

/** Only one build of a name at a time; who waited finds it built. */
export async function withImageLock<T>(
  engine: ContainerEngine,
  reference: string,
  work: () => Promise<T>,
): Promise<T> {
  const digest = createHash('sha256').update(`${engine.kind} ${reference}`).digest('hex');
  const lock = await acquireKernelLock(`image-${digest.slice(0, 16)}`);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/**
 * Builds an image from a folder made for it, labelled with its input.
 * @throws LlmxError `image_build_failed`, and what a program of ours in the build has thrown
 */
export async function buildImage(input: ImageInput): Promise<BuiltImage> {
  const { layout, engine, reference } = input;
  const logFile = join(layout.logsDir, input.logName);
  await mkdir(layout.logsDir, { recursive: true, mode: 0o700 });
  input.log?.(`building ${reference} on ${engine.kind}; its output: ${logFile}`);
  const contexts = join(layout.root, 'contexts');
  await mkdir(contexts, { recursive: true, mode: 0o700 });
  const contextDir = await mkdtemp(join(contexts, 'build-'));
  try {
    await input.fillContext(contextDir);
    await writeFile(join(contextDir, 'Dockerfile'), input.dockerfile);
    await engine.build({
      tag: reference,
      contextDir,
      file: 'Dockerfile',
      buildArgs: {},
      labels: {
        ...input.labels,
        [KIND_LABEL]: input.kind,
        [INPUT_LABEL]: input.inputHash,
        [BUILT_FOR_LABEL]: stateIdOf(layout.root),
        [NAME_LABEL]: reference,
      },
      logFile,
      timeoutMs: BUILD_TIMEOUT_MS,
      noCache: input.noCache,
    });
  } catch (error) {
    throw await explained(error, reference, logFile);
  } finally {
    await rm(contextDir, { recursive: true, force: true });
  }
  const image = await engine.image(reference);
  if (image !== null) return { imageId: image.id, reference, built: true };
  throw buildFailed(reference, 'it is not there afterwards', logFile);
}

function buildFailed(tag: string, reason: string, log: string, cause?: unknown): LlmxError {
  const hint = `cat ${log}`;
  return new LlmxError('image_build_failed', { tag, reason, log, hint }, { cause });
}

/** The engine only knows that a step failed; what was wrong is in what the step printed. */
async function explained(error: unknown, tag: string, logFile: string): Promise<unknown> {
  if (!(error instanceof LlmxError) || error.code !== 'image_build_failed') return error;
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n');
  const marked = after(lines, ERROR_MARK);
  const thrown = marked === null ? null : parsed(marked);
  if (thrown !== null) {
    return new LlmxError(thrown.code, { ...thrown.params, logFile }, { cause: error });
  }
  const said = after(lines, 'llmx: ');
  return said === null ? error : buildFailed(tag, said, logFile, error);
}

/** Some builders put the number of the step and the time before each line. */
function after(lines: readonly string[], mark: string): string | null {
  const line = lines.findLast((text) => new RegExp(`^(#\\d+ [\\d.]+ )?${mark}`).test(text));
  return line === undefined ? null : line.slice(line.indexOf(mark) + mark.length);
}

function parsed(text: string): { readonly code: ErrorCode; readonly params: ErrorParams } | null {
  try {
    const value = JSON.parse(text) as { readonly code: ErrorCode; readonly params: ErrorParams };
    return Object.hasOwn(ERROR_TABLE, value.code) ? value : null;
  } catch {
    return null; // printed by somebody else: then it is just a line of the log
  }
}
