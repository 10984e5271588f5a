import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LlmxError } from '../../errors/llmx-error.js';
import { git, GitFailure } from '../../git/git.js';
import { openSource } from './app-source.js';
import { flatten, type FlattenInput } from './flatten.js';

export interface BundleInput extends FlattenInput {
  /** The app's checkout on this host. */
  readonly checkout: string;
  /** Bundle to write; its folder must exist. */
  readonly file: string;
}

/**
 * Writes a git bundle of the flattened base and task commits. A bundle holds committed objects only, so an
 * untracked secret or a hook can't come along; it holds flat commits only, so neither can history.
 * @returns ref name to commit id
 * @throws LlmxError `checkout_unusable`
 */
export async function bundleApp(input: BundleInput): Promise<ReadonlyMap<string, string>> {
  const scratch = await mkdtemp(join(dirname(input.file), '.source-'));
  try {
    const source = await openSource(input.app, input.checkout, join(scratch, 'source.git'));
    const refs = await flatten(source, input);
    await git(source, ['bundle', 'create', '-q', input.file, ...refs.keys()]);
    return refs;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    // A partial clone lacks files, a damaged one objects: git says which.
    const params = { app: input.app, problem: error.message, hint: 'git fsck' };
    throw new LlmxError('checkout_unusable', params, { cause: error });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
