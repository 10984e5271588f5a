import type { AppSpec } from '../../domain/experiment/experiment.js';
import { canonicalJson, sha256 } from '../../support/hash.js';
import type { AppCommits } from './app-source.js';

/** Goes up whenever the same input would give another template. */
const TEMPLATE_VERSION = 1;

/** Names a template by all that it is made from. */
export function templateIdOf(
  app: Pick<AppSpec, 'key' | 'neutralize' | 'setup'>,
  commits: AppCommits,
): string {
  const { key, neutralize, setup } = app;
  return sha256(canonicalJson({ version: TEMPLATE_VERSION, key, commits, neutralize, setup }));
}
