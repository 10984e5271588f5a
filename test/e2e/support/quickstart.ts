import { execa } from 'execa';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli, type CliRun } from '../../fixtures/built-cli.js';

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** An example copied to a folder of its own, with a state folder of its own. */
export interface ExampleLab {
  readonly dir: string;
  readonly stateDir: string;
  cli(...argv: readonly string[]): Promise<CliRun>;
  /** Stops what was started and removes the folders. */
  end(): Promise<void>;
}

export async function exampleLab(example: 'quickstart' | 'command-agent'): Promise<ExampleLab> {
  const root = await mkdtemp(join(tmpdir(), 'llmx-e2e-'));
  const dir = join(root, example);
  const stateDir = join(root, 'state');
  await cp(join(EXAMPLES, example), dir, {
    recursive: true,
    filter: (path) => !/\/(app|results-raw|report|\.apps\.local)$/.test(path),
  });
  await execa(process.execPath, [join(EXAMPLES, 'quickstart', 'make-app.mjs'), dir]);
  const cli = (...argv: readonly string[]): Promise<CliRun> =>
    runCli(argv, { cwd: dir, env: { LLMX_STATE_DIR: stateDir } });
  return {
    dir,
    stateDir,
    cli,
    end: async () => {
      await cli('worker', 'stop');
      await cli('server', 'stop');
      await rm(root, { recursive: true, force: true });
    },
  };
}
