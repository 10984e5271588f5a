import { beforeAll, describe, expect, it } from '@jest/globals';
import { execa } from 'execa';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A folder's file and what it imports: a folder of src, or a package. */
type Direction = readonly [from: string, target: string];

const ALLOWED: readonly Direction[] = [
  ['errors', 'domain'],
  ['support', 'errors'],
  ['storage', 'support'],
  ['runtimes', 'storage'],
  ['agents', 'support'],
  ['report', 'storage'],
  ['temporal', 'errors'],
  ['trial', 'runtimes'],
  ['trial', 'agents'],
  ['preflight', 'temporal'],
  ['activities', 'trial'],
  ['activities', 'preflight'],
  ['worker', 'activities'],
  ['worker', 'workflows'],
  ['client', 'temporal'],
  ['client', 'report'],
  ['workflows', 'domain'],
  ['workflows', 'errors'],
  ['workflows', '@temporalio/workflow'],
  ['domain/experiment', 'zod'],
  ['support', 'node:fs'],
];

const FORBIDDEN: readonly Direction[] = [
  ['domain', 'errors'],
  ['domain', 'support'],
  ['domain', 'node:fs'],
  ['domain', '@temporalio/common'],
  ['domain', 'zod'],
  ['domain/experiment', 'node:fs'],
  ['errors', 'support'],
  ['support', 'storage'],
  ['storage', 'runtimes'],
  ['storage', 'temporal'],
  ['runtimes', 'agents'],
  ['runtimes', 'temporal'],
  ['agents', 'runtimes'],
  ['agents', 'report'],
  ['temporal', 'report'],
  ['temporal', 'agents'],
  ['report', 'temporal'],
  ['report', 'runtimes'],
  ['runtimes', 'trial'],
  ['trial', 'activities'],
  ['trial', 'preflight'],
  ['preflight', 'workflows'],
  ['activities', 'workflows'],
  ['activities', 'worker'],
  ['worker', 'client'],
  ['client', 'worker'],
  ['domain', 'client'],
  ['workflows', 'support'],
  ['workflows', 'storage'],
  ['workflows', 'activities'],
  ['workflows', 'node:fs'],
  ['workflows', '@temporalio/client'],
];

const snippets = [
  ...[...ALLOWED, ...FORBIDDEN].map((direction) => snippet('import', direction)),
  snippet('import type', ['workflows', 'activities']),
  snippet('import type', ['workflows', 'client']),
  { file: 'src/domain/probe.ts', code: 'export const now = Date.now();\n' },
  { file: 'src/support/probe.ts', code: 'export enum Colour { red }\n' },
  { file: 'src/support/probe.ts', code: 'export default 1;\n' },
];

describe('the one-way dependency rule', () => {
  const findings = new Map<string, readonly string[]>();

  beforeAll(async () => {
    const { stdout } = await execa(
      process.execPath,
      [join(root, 'test', 'fixtures', 'lint-imports.mjs')],
      { cwd: root, input: JSON.stringify(snippets) },
    );
    const results = JSON.parse(stdout) as readonly (readonly string[])[];
    snippets.forEach(({ file, code }, index) => findings.set(`${file} ${code}`, results[index]!));
  }, 60_000);

  const found = ({ file, code }: { readonly file: string; readonly code: string }) =>
    findings.get(`${file} ${code}`);
  const refusal: unknown = expect.stringMatching(/no-restricted-(paths|imports)/);

  it.each(ALLOWED)('lets %s import %s', (...direction) => {
    expect(found(snippet('import', direction))).toEqual([]);
  });

  it.each(FORBIDDEN)('refuses %s importing %s', (...direction) => {
    expect(found(snippet('import', direction))).toContainEqual(refusal);
  });

  it('lets workflows import types of what they must not run', () => {
    expect(found(snippet('import type', ['workflows', 'activities']))).toEqual([]);
    expect(found(snippet('import type', ['workflows', 'client']))).toContainEqual(refusal);
  });

  it('refuses the clock in domain, enums and default exports', () => {
    expect(snippets.slice(-3).map((each) => found(each)?.[0])).toEqual([
      expect.stringMatching(/no-restricted-properties/),
      expect.stringMatching(/no-restricted-syntax/),
      expect.stringMatching(/no-default-export/),
    ]);
  });
});

/** A file that need not exist, importing one that does: only then can the import be resolved. */
function snippet(
  keyword: 'import' | 'import type',
  [from, target]: Direction,
): { readonly file: string; readonly code: string } {
  const isPackage = target.includes(':') || target.startsWith('@') || target === 'zod';
  const specifier = isPackage ? target : `${up(from)}${aFileOf(target)}`;
  // Used as a value or as a type, so that no other rule has something to say.
  const use =
    keyword === 'import' ? 'export const used: unknown = it' : 'export type Used = typeof it';
  return {
    file: `src/${from}/probe.ts`,
    code: `${keyword} * as it from '${specifier}';\n${use};\n`,
  };
}

function up(folder: string): string {
  return '../'.repeat(folder.split('/').length);
}

function aFileOf(folder: string): string {
  const files = readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' });
  const first = files.filter((file) => file.endsWith('.ts')).sort()[0];
  if (first === undefined) throw new Error(`src/${folder} has no TypeScript file`);
  return `${folder}/${first.replace(/\.ts$/, '.js')}`;
}
