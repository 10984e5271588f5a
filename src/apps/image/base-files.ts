import { cliNames } from './base-dockerfile.js';
import type { BaseRecipe } from './base-recipe.js';

/**
 * Runs in the image: asks each program for its version and writes the answers to the file named second. The
 * file named first says which ones were asked for.
 */
export const VERSIONS_PROGRAM = `import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const PROGRAMS = ['bash', 'git', 'node', 'npm', 'ruby', 'bundle', 'python3', 'uv', 'sqlite3', 'psql', 'postgres', 'claude', 'codex', 'opencode'];
const [expectedFile, outFile] = process.argv.slice(2);
const expected = JSON.parse(readFileSync(expectedFile, 'utf8'));
const found = {};
for (const name of PROGRAMS) {
  const version = ask(name);
  if (version !== null) found[name] = version;
}
for (const [name, wanted] of Object.entries(expected)) {
  const seen = found[name] ?? 'none';
  if (seen === wanted || seen.startsWith(wanted + '.')) continue;
  console.log('llmx: ' + name + ' ' + wanted + ' was asked for, but ' + seen + ' is installed');
  process.exit(1);
}
writeFileSync(outFile, JSON.stringify(found, null, 2) + '\\n', { mode: 0o644 });
console.log(JSON.stringify(found));

function ask(name) {
  try {
    const env = { ...process.env, HOME: '/tmp' };
    const text = execFileSync(name, ['--version'], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 });
    return /\\d+(?:\\.\\d+)+[\\w.-]*/.exec(text)?.[0] ?? text.trim();
  } catch {
    return null; // not in this image
  }
}
`;

/** What {@link VERSIONS_PROGRAM} must find. The host's own node is whatever it is. */
export function expectedVersions(recipe: BaseRecipe): Readonly<Record<string, string>> {
  const agents = Object.fromEntries(
    cliNames(recipe).map((name) => [name, recipe.agents[name] ?? '']),
  );
  if (recipe.source.kind === 'host') return agents;
  return {
    node: recipe.node,
    ...(recipe.ruby === null ? {} : { ruby: recipe.ruby }),
    ...agents,
  };
}
