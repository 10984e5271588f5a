import { writeFileAtomic } from '../../support/atomic-file.js';
import { readStoredCredential } from './auth-store.js';
import type { LoginAgent } from './login-agent.js';
import { parseObject } from './private-file.js';
import { refreshedDocument } from './refreshed-document.js';
import { withStoreLock } from './store-lock.js';

/** What became of a credential that came back from a trial. */
export type ReturnEnd =
  | { readonly status: 'written' }
  | { readonly status: 'unchanged' }
  /** In words, without anything of its content. */
  | { readonly status: 'refused'; readonly reason: string };

export interface ReturnedCredential {
  /** The store. */
  readonly root: string;
  readonly agent: LoginAgent;
  /** Of the store's file when the trial got its copy. */
  readonly storedSha256: string;
  /** Content of the file as the trial left it. */
  readonly content: string;
  readonly nowMs: number;
}

/**
 * Puts tokens that a CLI got during a trial into the store: only newer ones, only into the file that the
 * trial's copy was made from, whole or not at all. The caller sees to it that no trial runs.
 */
export async function returnCredential(given: ReturnedCredential): Promise<ReturnEnd> {
  const { agent, root } = given;
  const found = parseObject(given.content);
  if (found === null) return { status: 'refused', reason: 'it is no JSON object' };
  return withStoreLock(root, async () => {
    const stored = await readStoredCredential(root, agent);
    if (stored.sha256 !== given.storedSha256) {
      const reason = stored.fault ?? 'the store got another credential meanwhile';
      return { status: 'refused', reason };
    }
    const document = parseObject(stored.document?.reveal() ?? '') ?? {};
    const merged = refreshedDocument(agent, document, found, given.nowMs);
    if (merged.status === 'refused') return merged;
    if (merged.status === 'same') return { status: 'unchanged' };
    const content = `${JSON.stringify(merged.document, null, 2)}\n`;
    await writeFileAtomic(stored.file, content, { mode: 0o600 });
    return { status: 'written' };
  });
}
