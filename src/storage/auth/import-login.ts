import { join } from 'node:path';
import { writeJsonAtomic } from '../../support/atomic-file.js';
import { readStoredCredential } from './auth-store.js';
import { readFacts, text, type CredentialFacts, type JsonObject } from './credential-facts.js';
import {
  CLAUDE_ACCOUNT_FILE,
  CREDENTIAL_FILE,
  HOME_FOLDER,
  type LoginAgent,
} from './login-agent.js';
import { parseObject, readPrivateFile } from './private-file.js';
import { withStoreLock } from './store-lock.js';

/** Of claude's account file: who it is, and the key of a Console login. The rest is about a person's work. */
const ACCOUNT_KEYS = ['oauthAccount', 'userID', 'primaryApiKey'];

/**
 * Takes over what a CLI wrote into a HOME when it logged in; the agent's folder of the store is there. What the store had is replaced only by a login
 * that can be read; of opencode the other providers stay.
 * @returns what was taken over, or null: then the store is as it was
 */
export async function importLogin(
  root: string,
  agent: LoginAgent,
  home: string,
): Promise<readonly CredentialFacts[] | null> {
  const document = (await readObject(join(home, HOME_FOLDER[agent], CREDENTIAL_FILE[agent]))) ?? {};
  const account = agent === 'claude' ? await readObject(join(home, CLAUDE_ACCOUNT_FILE)) : null;
  const facts = readFacts(agent, document);
  const hasKey = text(account?.['primaryApiKey']) !== null;
  if (facts.length === 0 && !hasKey) return null;
  return withStoreLock(root, async () => {
    const { document: before, file } = await readStoredCredential(root, agent);
    const kept = agent === 'opencode' ? (parseObject(before?.reveal() ?? '') ?? {}) : {};
    await writeJsonAtomic(file, { ...kept, ...document }, { mode: 0o600 });
    if (account !== null) {
      const names = ACCOUNT_KEYS.filter((name) => account[name] !== undefined);
      const taken = Object.fromEntries(names.map((name) => [name, account[name]]));
      await writeJsonAtomic(join(root, agent, CLAUDE_ACCOUNT_FILE), taken, { mode: 0o600 });
    }
    return (await readStoredCredential(root, agent)).facts;
  });
}

async function readObject(file: string): Promise<JsonObject | null> {
  const read = await readPrivateFile(file);
  return read.status === 'read' ? parseObject(read.content) : null;
}
