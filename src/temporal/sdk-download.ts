import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../support/run-command.js';
import { makeProgram } from './make-program.js';
import type { Attempt, SearchOptions } from './program-source.js';

const DOWNLOAD_TIMEOUT_MS = 3 * 60_000;

/**
 * Lets Temporal's TypeScript SDK fetch the program into llmx's cache, as it does for tests. In a process
 * of its own: its native part can't be interrupted, and loading it takes longer than most commands.
 */
export async function downloadWithSdk(options: SearchOptions): Promise<Attempt> {
  return makeProgram(options, async (folder) => {
    options.note('looking for a Temporal server to download');
    const result = await runCommand(
      [process.execPath, '--input-type=module', '--eval', DOWNLOAD, folder],
      // There a bare import finds llmx's own packages, wherever llmx is installed.
      { cwd: dirname(fileURLToPath(import.meta.url)), timeoutMs: DOWNLOAD_TIMEOUT_MS },
    );
    if (result.timedOut) return { kind: 'failed', reason: 'not finished within 3 minutes' };
    if (!result.ok) return { kind: 'failed', reason: reasonIn(result.stderr) };
    const [program] = await readdir(folder);
    return { kind: 'found', path: join(folder, program ?? 'nothing-was-downloaded') };
  });
}

/** The SDK has no call that only fetches: it starts the program on a free port, and it is stopped again. */
const DOWNLOAD = `
const { TestWorkflowEnvironment } = await import('@temporalio/testing');
try {
  const executable = { type: 'cached-download', downloadDir: process.argv.at(-1) };
  const env = await TestWorkflowEnvironment.createLocal({ server: { executable } });
  await env.teardown();
  process.exit(0);
} catch (error) {
  process.stderr.write(error.message);
  process.exit(1);
}
`;

/** The SDK names the address once for every layer that failed; the innermost cause says it all. */
function reasonIn(stderr: string): string {
  const innermost = stderr.replace(/\s+/g, ' ').trim().split('): ').at(-1) ?? '';
  return innermost.slice(0, 300) || 'no reason given';
}
