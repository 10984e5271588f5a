import { dirname } from 'node:path';
import { runCommand, type CommandResult } from './run-command.js';

/**
 * Runs git in a checkout. Variables such as GIT_DIR, which a hook or an outer git leaves behind, don't
 * reach it, and a folder that is no checkout itself is not taken for part of one above it.
 */
export async function runGit(
  checkout: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  // Only read here: that the checkout is another user's is no reason to refuse it.
  return runCommand(['git', '-c', 'safe.directory=*', ...args], {
    cwd: checkout,
    env: { ...inherited(), GIT_CEILING_DIRECTORIES: dirname(checkout), LC_ALL: 'C', ...env },
  });
}

function inherited(): Record<string, string> {
  const entries = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('GIT_') ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
