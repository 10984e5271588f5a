import type { MemorySize } from './experiment.js';

/** What a text of the file may look like. `must` completes "<key> …, not <value>". */
export interface TextRule {
  readonly allows: (text: string) => boolean;
  readonly must: string;
  readonly hint: string;
}

const MAX_NAME = 200;
const MAX_PATH = 1_000;
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

const isPlainName = (text: string): boolean =>
  text.length <= MAX_NAME && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text);

/** Ids become folder names, parts of branch names and of environment variables. */
export const PLAIN_NAME: TextRule = {
  allows: isPlainName,
  must: 'must be a plain name',
  hint: 'use letters, digits, ".", "_" and "-"; start with a letter or digit; at most 200 characters',
};

/** A task names a branch too, so what git refuses in a branch is refused here. */
export const TASK_ID: TextRule = {
  ...PLAIN_NAME,
  allows: (text) => isPlainName(text) && isBranchPath(text),
  hint: `${PLAIN_NAME.hint}; no "..", no "." or ".lock" at the end`,
};

export const PRINTABLE: TextRule = {
  allows: (text) => text.trim() !== '' && text.length <= MAX_NAME && !CONTROL.test(text),
  must: 'must be printable text of at most 200 characters',
  hint: 'shorten it, and remove line breaks and control characters',
};

export const ANY_TEXT: TextRule = { allows: () => true, must: 'must be text', hint: 'write text' };

export const COMMAND: TextRule = {
  allows: (text) => text.trim() !== '',
  must: 'must be a shell command',
  hint: 'write the command as you would type it in the checkout',
};

export const BRANCH_PREFIX: TextRule = {
  allows: isBranchPath,
  must: 'must be the first part of a branch name',
  hint: 'write what stands before "/<task>" in your branches, such as bench',
};

export const VERSION: TextRule = {
  allows: (text) => /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/.test(text),
  must: 'must be a version',
  hint: 'write a version such as 1.2.3',
};

export const METRIC: TextRule = {
  allows: (text) => /^[a-z][a-z0-9_]{0,99}$/.test(text),
  must: 'must be the name of a metric',
  hint: 'write a key of metrics.json, such as total_input_tokens',
};

/** A program argument of its own: one that starts with a hyphen would be read as an option. */
export const MODEL: TextRule = {
  allows: (text) => PRINTABLE.allows(text) && !/^-|\s/.test(text),
  must: 'must be the name of a model',
  hint: 'write the name that the agent’s --model takes',
};

export const IMAGE: TextRule = {
  allows: (text) => /^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$/.test(text),
  must: 'must be the name of an image',
  hint: 'write a name such as registry/name:tag',
};

export const INSIDE_PATH: TextRule = {
  allows: (text) => insidePath(text) !== null,
  must: 'must be a relative path that stays inside its folder',
  hint: 'write it without a leading "/" and without ".."',
};

/** The path without needless parts, or null when it is absolute, leaves its folder or names `.git`. */
export function insidePath(text: string): string | null {
  if (text.length > MAX_PATH || CONTROL.test(text) || /^[/\\-]|^[A-Za-z]:[/\\]/.test(text))
    return null;
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts[0]?.toLowerCase() === '.git') return null;
  return parts.some((part) => part.split('\\').includes('..')) ? null : parts.join('/');
}

/** What `git check-ref-format` allows below refs/heads, and nothing that reads as an option. */
function isBranchPath(text: string): boolean {
  if (text.length > MAX_NAME || text.startsWith('-') || /\.\.|@\{|[\s~^:?*[\\]/.test(text))
    return false;
  if (CONTROL.test(text) || text === '@') return false;
  return text.split('/').every((part) => part !== '' && !/^\.|\.$|\.lock$/.test(part));
}

const UNITS = { '': 2 ** 20, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 } as const;

/** `6g`, `8G`, `8GB`, `8192 MB`; a bare number is MB. Null for what is no size, and for zero. */
export function memorySize(text: string): MemorySize | null {
  const match = /^(\d{1,9})\s*([KMGT]?)B?$/i.exec(text.trim());
  const unit = match?.[2]?.toUpperCase();
  if (match?.[1] === undefined || unit === undefined || !(unit in UNITS)) return null;
  const bytes = Number(match[1]) * UNITS[unit as keyof typeof UNITS];
  return bytes > 0 ? { text: text.trim(), bytes } : null;
}

export const MEMORY: TextRule = {
  allows: (text) => memorySize(text) !== null,
  must: 'must be a size',
  hint: 'write a whole number and a unit, such as 6g or 512m',
};

export const CPUS: TextRule = {
  allows: (text) => /^\d{1,4}(?:\.\d{1,3})?$/.test(text) && Number(text) > 0,
  must: 'must be a number above 0',
  hint: 'write a number of CPUs, such as 4',
};
