import { LlmxError } from '../../../errors/llmx-error.js';
import type { Environment } from '../../../support/paths.js';

/** What the image builder has: it is a virtual machine of its own. */
export interface Envelope {
  readonly cpus: number;
  /** In units of 1024². */
  readonly memoryMb: number;
}

/** The builder's own default, 2 CPUs and 2 GB, is so small that builds die in it without a message. */
const DEFAULT_CPUS = '6';
const DEFAULT_MEMORY = '8G';

/**
 * `8G`, `8g`, `8GB`, `8192 MB` and `8192` are the same: the CLI tells MB, people write G.
 * @returns 0 for what is no size
 */
export function megabytes(text: string): number {
  const found = /^(\d+)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  if (found === null) return 0;
  const value = Number(found[1]);
  switch (found[2]?.toUpperCase()) {
    case 'T':
      return value * 1024 * 1024;
    case 'G':
      return value * 1024;
    case 'K':
      return Math.floor(value / 1024);
    default:
      return value;
  }
}

/** @throws LlmxError `usage` for a variable that is no number or size */
export function wantedEnvelope(env: Environment = process.env): Envelope {
  const cpus = env['LLMX_BUILDER_CPUS'] ?? DEFAULT_CPUS;
  const memory = env['LLMX_BUILDER_MEMORY'] ?? DEFAULT_MEMORY;
  if (!/^[1-9]\d*$/.test(cpus)) {
    throw new LlmxError('usage', {
      problem: `LLMX_BUILDER_CPUS is "${cpus}", and should be a whole number of processors`,
      hint: `export LLMX_BUILDER_CPUS=${DEFAULT_CPUS}`,
    });
  }
  const memoryMb = megabytes(memory);
  if (memoryMb === 0) {
    throw new LlmxError('usage', {
      problem: `LLMX_BUILDER_MEMORY is "${memory}", and should be a size such as ${DEFAULT_MEMORY}`,
      hint: `export LLMX_BUILDER_MEMORY=${DEFAULT_MEMORY}`,
    });
  }
  return { cpus: Number(cpus), memoryMb };
}

/** Both count: one with 6 CPUs and 2 GB starves like one with 2 CPUs. */
export function meets(found: Envelope, wanted: Envelope): boolean {
  return found.cpus >= wanted.cpus && found.memoryMb >= wanted.memoryMb;
}

/**
 * As `builder start` and `build` take it. Both must be given the same: a build with another envelope, or
 * none, makes the builder anew and loses its cache.
 */
export function envelopeFlags({ cpus, memoryMb }: Envelope): readonly string[] {
  return ['--cpus', `${cpus}`, '--memory', `${memoryMb}M`];
}

export function describeEnvelope({ cpus, memoryMb }: Envelope): string {
  return `${cpus} CPUs and ${memoryMb} MB`;
}
