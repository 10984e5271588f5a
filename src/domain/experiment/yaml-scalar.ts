import type { Scalar } from 'yaml';

/**
 * What plain text means in YAML 1.1 as the Ruby gem's parser reads it. Values are resolved here, when a
 * rule asks for them, so that everything else keeps its source text.
 */

const NULL = /^(?:|~|null|Null|NULL)$/;
const TRUE = /^(?:yes|true|on)$/i;
const FALSE = /^(?:no|false|off)$/i;
const DATE =
  /^-?\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}(?::?\d\d)?))?)?$/;

export function textOf(scalar: Scalar): string {
  return typeof scalar.value === 'string' ? scalar.value : '';
}

export function isPlain(scalar: Scalar): boolean {
  return scalar.type === 'PLAIN';
}

export function isNull(scalar: Scalar): boolean {
  return isPlain(scalar) && NULL.test(textOf(scalar));
}

export function isDate(scalar: Scalar): boolean {
  return isPlain(scalar) && DATE.test(textOf(scalar));
}

/** Null for what is neither true nor false; `y` and `n` are text. */
export function booleanOf(scalar: Scalar): boolean | null {
  if (!isPlain(scalar)) return null;
  if (TRUE.test(textOf(scalar))) return true;
  return FALSE.test(textOf(scalar)) ? false : null;
}

/**
 * A number in decimal, hexadecimal (`0x1f`), binary (`0b11`) or octal (`017`) form, with `_` or `,`
 * between digits. Quoted numbers count too, as the gem's `to_i` has it. Null for anything else.
 */
export function numberOf(scalar: Scalar): number | null {
  const [, sign = '', digits = ''] = /^([-+]?)(.+)$/s.exec(textOf(scalar)) ?? [];
  const value = unsigned(digits.replace(/(?<=[0-9a-f])[_,](?=[0-9a-f])/gi, ''));
  return value === null ? null : sign === '-' ? -value : value;
}

function unsigned(digits: string): number | null {
  if (/^0[0-7]+$/.test(digits)) return Number.parseInt(digits, 8);
  if (/^0x[0-9a-f]+$/i.test(digits) || /^0b[01]+$/.test(digits)) return Number(digits);
  if (!/^(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(digits)) return null;
  const value = Number(digits);
  return Number.isFinite(value) ? value : null;
}
