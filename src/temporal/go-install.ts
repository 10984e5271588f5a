import { join } from 'node:path';
import type { Environment } from '../support/paths.js';
import { runCommand, type CommandResult } from '../support/run-command.js';
import { makeProgram } from './make-program.js';
import type { Attempt, SearchOptions } from './program-source.js';
import { whichProgram } from '../support/which-program.js';

/** Newer tags have `replace` lines and can't be installed this way. */
const MODULE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const BUILD_TIMEOUT_MS = 20 * 60_000;
const GO_FOLDERS = ['/usr/local/go/bin', '/opt/homebrew/bin'];

export async function findGo(env: Environment): Promise<string | null> {
  return whichProgram('go', env, GO_FOLDERS);
}

/** Builds the program into llmx's cache. */
export async function installWithGo(options: SearchOptions): Promise<Attempt> {
  const go = await findGo(options.env);
  if (go === null) return { kind: 'failed', reason: 'Go is not installed' };
  return makeProgram(options, async (folder) => {
    options.note(
      'building the Temporal server with Go; this happens once and takes 2 to 3 minutes',
    );
    const result = await runCommand([go, 'install', '-ldflags', '-s -w', MODULE], {
      env: buildEnvironment(options.env, folder),
      cwd: folder,
      timeoutMs: BUILD_TIMEOUT_MS,
    });
    if (!result.ok) return { kind: 'failed', reason: failureOf(result) };
    return { kind: 'found', path: join(folder, 'temporal') };
  });
}

/** A program for this machine, whatever the person builds for at other times. */
function buildEnvironment(env: Environment, folder: string): Record<string, string> {
  const given = Object.entries(env).filter((pair): pair is [string, string] => {
    return pair[1] !== undefined && !['GOOS', 'GOARCH', 'GOFLAGS'].includes(pair[0]);
  });
  return { ...Object.fromEntries(given), CGO_ENABLED: '0', GOBIN: folder };
}

function failureOf(result: CommandResult): string {
  if (result.timedOut) return 'the build did not end within 20 minutes';
  const lines = result.stderr.trim().split('\n').slice(-3).join(' / ').slice(0, 600);
  return `${MODULE} ended with ${result.exit ?? 'a signal'}: ${lines}`;
}
