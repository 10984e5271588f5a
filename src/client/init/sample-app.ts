import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LlmxError } from '../../errors/llmx-error.js';
import { runGit } from '../../support/git.js';
import { BRANCH_PREFIX, IMPL_FILE, TASK, TEST_FILE } from './scaffold.js';

/** Makes the app's checkout with its two branches and answers the patch that fixes the bug. */
export async function makeSampleApp(checkout: string): Promise<string> {
  const git = gitIn(checkout);
  const base = `${BRANCH_PREFIX}/base`;
  const broken = `${BRANCH_PREFIX}/${TASK}`;
  await writeFiles(checkout, { [IMPL_FILE]: implementation('>='), [TEST_FILE]: TEST });
  await git('init', '--quiet', '--template=');
  await git('symbolic-ref', 'HEAD', `refs/heads/${base}`);
  await git('add', '--all');
  await git('commit', '--quiet', '--no-verify', '--message', 'Delivery costs of the shop');
  await git('checkout', '--quiet', '-b', broken);
  await writeFiles(checkout, { [IMPL_FILE]: implementation('>') });
  await git('commit', '--quiet', '--no-verify', '--all', '--message', 'Plant the bug');
  await git('checkout', '--quiet', base);
  return git('diff', '--no-color', '--no-ext-diff', broken, base);
}

function implementation(comparison: string): string {
  return `/** Orders of this many cents and more are delivered for free. */
export const FREE_FROM_CENTS = 5000;

const DELIVERY_CENTS = 490;

export function deliveryCents(orderCents) {
  return orderCents ${comparison} FREE_FROM_CENTS ? 0 : DELIVERY_CENTS;
}
`;
}

const TEST = `import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deliveryCents, FREE_FROM_CENTS } from '../src/delivery.mjs';

describe('delivery', () => {
  it('costs something for a small order', () => {
    assert.equal(deliveryCents(FREE_FROM_CENTS - 1), 490);
  });

  it('is free from the limit on', () => {
    assert.equal(deliveryCents(FREE_FROM_CENTS), 0);
  });
});
`;

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Without the user's settings, hooks or name: the commits are the same on every machine. */
const GIT_SETTINGS = [
  'core.autocrlf=false',
  'core.hooksPath=/dev/null',
  'commit.gpgSign=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

const WHO = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'llmx'],
    [`GIT_${role}_EMAIL`, 'llmx@example.invalid'],
    [`GIT_${role}_DATE`, '2024-01-01T00:00:00Z'],
  ]),
);

function gitIn(checkout: string): (...args: string[]) => Promise<string> {
  const env = { ...WHO, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return async (...args) => {
    const result = await runGit(checkout, [...GIT_SETTINGS, ...args], env);
    if (result.ok) return result.stdout;
    throw new LlmxError('init_failed', {
      folder: 'the experiment',
      reason: result.notFound
        ? 'git was not found on PATH'
        : `git ${args[0]}: ${result.stderr.trim()}`,
      hint: result.notFound ? 'install git' : 'git --version',
    });
  };
}
