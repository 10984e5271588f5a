import { ERROR_TABLE, type ErrorCode } from './table.js';
import type { ErrorSpec } from './error-spec.js';

export type ErrorParams = Readonly<Record<string, string | number>>;

/** The one error class: everything a person reads about it comes from the error table. */
export class LlmxError extends Error {
  override readonly name = 'LlmxError';
  readonly hint: string | null;
  readonly exitCode: number;

  constructor(
    readonly code: ErrorCode,
    readonly params: ErrorParams = {},
    options: { readonly cause?: unknown } = {},
  ) {
    const spec: ErrorSpec = ERROR_TABLE[code];
    super(fill(spec.message, params), options);
    this.hint = spec.hint === null ? null : fill(spec.hint, params);
    this.exitCode = spec.exitCode;
  }
}

/** A placeholder without a parameter stays visible, so that a test can find it. */
export function fill(template: string, params: ErrorParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : whole,
  );
}
