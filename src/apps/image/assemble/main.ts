import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { APP_DIR } from '../../../domain/trial/program-contract.js';
import { LlmxError } from '../../../errors/llmx-error.js';
import { assembleTemplate } from '../../template/assemble-template.js';
import { keepOneBranch } from '../../template/keep-one-branch.js';
import { ERROR_MARK, type AssemblyFile } from './assembly-file.js';

/** Runs in the build of an app image, with the environment that trials get. */
async function main(file: string | undefined): Promise<void> {
  if (file === undefined) throw new Error('usage: assemble.mjs <assembly.json>');
  const assembly = JSON.parse(readFileSync(file, 'utf8')) as AssemblyFile;
  const workDir = join(dirname(file), 'work');
  mkdirSync(workDir, { recursive: true });
  if (assembly.kind === 'task') {
    await keepOneBranch({ app: assembly.app, repoDir: APP_DIR, workDir, branch: assembly.branch });
    return;
  }
  const env = Object.entries(process.env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  await assembleTemplate({
    app: { key: assembly.app, setup: assembly.setup },
    bundle: join(dirname(file), 'app.bundle'),
    refs: new Map(assembly.refs),
    repoDir: APP_DIR,
    workDir,
    env: Object.fromEntries(env),
    logFile: null,
  });
}

try {
  await main(process.argv[2]);
} catch (error) {
  if (error instanceof LlmxError) {
    const { code, params } = error;
    process.stdout.write(`${ERROR_MARK}${JSON.stringify({ code, params })}\n`);
  }
  process.stdout.write(`llmx: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
