import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Copies a template, repository included, to a folder that does not exist yet. Every file is a file of its
 * own: what an agent writes can't reach the template. Blocks are shared where the file system can.
 */
export async function copyTemplate(templateDir: string, targetDir: string): Promise<void> {
  await run('cp', [...COPY_FLAGS, templateDir, targetDir]);
}

// Apple's cp clones only when it is asked to.
const COPY_FLAGS = process.platform === 'darwin' ? ['-a', '-c'] : ['-a'];
