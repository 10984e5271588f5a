import type { ContainerRow, ImageRow } from '../engine.js';
import { numberIn, objectIn, objectsIn, readJson, textIn, textsIn, type Json } from './json.js';
import { megabytes } from './envelope.js';
import { versionIn, type AppleVersion } from './version.js';

/** The image builder is a container like any other, and none of ours. */
const BUILDER_ID = 'buildkit';

/** The CLI cuts this off in its tables and takes names without it. */
const DEFAULT_REGISTRY = 'docker.io/library/';

/**
 * `ls --format json` and `inspect`: up to 0.12 the state is a text, from 1.0 on it is in an object.
 * @returns null for an answer that is no list
 */
export function parseContainers(output: string): readonly ContainerRow[] | null {
  const json = readJson(output);
  if (!Array.isArray(json)) return null;
  return objectsIn(json).flatMap((record) => {
    const name = containerId(record);
    if (name === null || name === BUILDER_ID) return [];
    const { labels } = objectIn(record['configuration']);
    return [{ name, running: stateOf(record) === 'running', labels: textsIn(labels) }];
  });
}

function containerId(record: Json): string | null {
  return textIn(objectIn(record['configuration'])['id']) ?? textIn(record['id']);
}

function stateOf({ status }: Json): string | null {
  return textIn(status) ?? textIn(objectIn(status)['state']);
}

export interface AppleImage extends ImageRow {
  /** The image's own `PATH`, or null. */
  readonly path: string | null;
}

/**
 * `image list --format json` and `image inspect` of every version.
 * @returns null for an answer that is no list
 */
export function parseImages(output: string): readonly AppleImage[] | null {
  const json = readJson(output);
  if (!Array.isArray(json)) return null;
  return objectsIn(json).flatMap((record) => {
    const { name, descriptor } = objectIn(record['configuration']);
    const digest =
      digestIn(descriptor) ??
      digestIn(record['index']) ??
      digestIn(record['descriptor']) ??
      textIn(record['id']);
    if (digest === null) return [];
    const reference = textIn(name) ?? textIn(record['name']) ?? textIn(record['reference']);
    return [
      {
        id: digest.startsWith('sha256:') ? digest : `sha256:${digest}`,
        reference: reference === null ? null : shortName(reference),
        ...variantsOf(record),
      },
    ];
  });
}

function digestIn(descriptor: unknown): string | null {
  return textIn(objectIn(descriptor)['digest']);
}

export function shortName(reference: string): string {
  return reference.startsWith(DEFAULT_REGISTRY)
    ? reference.slice(DEFAULT_REGISTRY.length)
    : reference;
}

/** An image holds a variant for each platform, and attestations that look like one. */
function variantsOf(record: Json): Pick<AppleImage, 'sizeBytes' | 'labels' | 'path'> {
  const variants = objectsIn(record['variants']);
  const sizes = variants.flatMap(({ size }) => numberIn(size) ?? []);
  const config = variants
    .map((variant) => objectIn(objectIn(variant['config'])['config']))
    .find((candidate) => Object.keys(candidate).length > 0);
  const env = Array.isArray(config?.['Env']) ? config['Env'].map(String) : [];
  return {
    sizeBytes: sizes.length === 0 ? null : sizes.reduce((sum, size) => sum + size, 0),
    labels: textsIn(config?.['Labels']),
    path: env.find((pair) => pair.startsWith('PATH='))?.slice('PATH='.length) ?? null,
  };
}

export interface AppleSystem {
  readonly running: boolean;
  /** Of the apiserver, which an upgrade of the CLI leaves running; null where it does not tell. */
  readonly version: AppleVersion | null;
}

/** `system status`: the exit code says it, but not every version's alone. */
export function parseSystem(answer: {
  readonly exit: number | null;
  readonly stdout: string;
}): AppleSystem {
  const json = objectIn(readJson(answer.stdout));
  const state = textIn(json['status']);
  const running =
    answer.exit === 0 &&
    (state === null
      ? !/not running|not registered|unregistered/.test(answer.stdout)
      : state === 'running');
  const told =
    textIn(objectIn(json['server'])['version']) ??
    textIn(json['apiServerVersion']) ??
    /container-apiserver version .*/.exec(answer.stdout)?.[0] ??
    '';
  return { running, version: versionIn(told) };
}

export interface BuilderState {
  readonly state: string;
  readonly cpus: number;
  readonly memoryMb: number;
}

/**
 * One row: `buildkit IMAGE STATE ADDRESS CPUS MEMORY`, where a builder that has no address leaves its cell
 * empty and the oldest versions write the state in capitals.
 */
const BUILDER_ROW =
  /^buildkit\s+\S+\s+([a-z]+)\s+(?:\S+\s+)??(\d+)\s+(\d+\s*[KMGT]?(?:i?B)?)[ \t]*$/im;

/** `builder status`, as JSON or as a table; null when there is none. */
export function parseBuilder(output: string): BuilderState | null {
  const record = objectsIn(readJson(output)).find((row) => containerId(row) === BUILDER_ID);
  if (record !== undefined) {
    const resources = objectIn(objectIn(record['configuration'])['resources']);
    return {
      state: stateOf(record) ?? 'unknown',
      cpus: numberIn(resources['cpus']) ?? 0,
      memoryMb: Math.floor((numberIn(resources['memoryInBytes']) ?? 0) / (1024 * 1024)),
    };
  }
  const row = BUILDER_ROW.exec(output);
  if (row === null) return null;
  const [, state = '', cpus, memory = ''] = row;
  return { state: state.toLowerCase(), cpus: Number(cpus), memoryMb: megabytes(memory) };
}
