import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../support/atomic-file.js';
import { refusalOf } from '../../support/file-faults.js';
import { sha256 } from '../../support/hash.js';
import { Secret } from '../../support/secret.js';
import {
  apiKey,
  keyIn,
  readFacts,
  text,
  type CredentialFacts,
  type JsonObject,
} from './credential-facts.js';
import {
  CLAUDE_ACCOUNT_FILE,
  CREDENTIAL_FILE,
  KEY_FILE,
  LOGIN_AGENTS,
  type LoginAgent,
} from './login-agent.js';
import { parseObject, readPrivateFile } from './private-file.js';

/** What the store has for one agent. Holds secrets only behind {@link Secret}. */
export interface StoredCredential {
  readonly agent: LoginAgent;
  /** Its credential file in the store, there or not. */
  readonly file: string;
  /** One for each credential; empty when there is none. */
  readonly facts: readonly CredentialFacts[];
  /**
   * Why the store can't be used for this agent, with names relative to it and nothing of its content; null
   * when it can.
   */
  readonly fault: string | null;
  /** Of the credential file as it was read, to see whether it changed; null without one. */
  readonly sha256: string | null;
  /** The credential file's JSON. */
  readonly document: Secret | null;
  /** claude: who it is logged in as. */
  readonly account: Secret | null;
  /** For a provider of opencode, else of the agent's only API. */
  key(provider: string | null): Secret | null;
}

/**
 * Reads what the store has for an agent, and closes its folders and files to other users.
 * @param root the store, see `authDir`
 */
export async function readStoredCredential(
  root: string,
  agent: LoginAgent,
): Promise<StoredCredential> {
  const folder = join(root, agent);
  const fault = await closeStore(root, agent);
  if (fault !== null) return nothing(agent, root, fault);
  const name = `${agent}/${CREDENTIAL_FILE[agent]}`;
  const file = join(root, name);
  const read = await readPrivateFile(file, { repair: true });
  if (read.status === 'refused') return nothing(agent, root, `${name} ${read.reason}`);
  const document = read.status === 'read' ? parseObject(read.content) : {};
  if (document === null) return nothing(agent, root, `${name} is damaged: it holds no JSON object`);
  const other = await readOther(folder, agent);
  if (typeof other === 'string') return nothing(agent, root, other);
  const own = readFacts(agent, document);
  return {
    agent,
    file,
    facts: own.length === 0 && other.key !== null ? [apiKey(null)] : own,
    fault: null,
    sha256: read.status === 'read' ? sha256(read.content) : null,
    document: read.status === 'read' ? new Secret(read.content) : null,
    account: other.account,
    key: (provider) => {
      const key = keyIn(agent, document, provider);
      return key === null ? other.key : new Secret(key);
    },
  };
}

/** What the store has for each agent. */
export async function listCredentials(root: string): Promise<readonly StoredCredential[]> {
  return Promise.all(LOGIN_AGENTS.map((agent) => readStoredCredential(root, agent)));
}

interface Other {
  readonly account: Secret | null;
  readonly key: Secret | null;
}

/** What is kept beside the credential file, or the fault that keeps it from being read. */
async function readOther(folder: string, agent: LoginAgent): Promise<Other | string> {
  if (agent === 'opencode') return { account: null, key: null };
  const found: Partial<Record<string, string>> = {};
  for (const name of agent === 'claude' ? [KEY_FILE, CLAUDE_ACCOUNT_FILE] : [KEY_FILE]) {
    const read = await readPrivateFile(join(folder, name), { repair: true });
    if (read.status === 'refused') return `${agent}/${name} ${read.reason}`;
    if (read.status === 'read') found[name] = read.content;
  }
  const accountText = found[CLAUDE_ACCOUNT_FILE];
  const account: JsonObject = accountText === undefined ? {} : (parseObject(accountText) ?? {});
  const key = text(found[KEY_FILE]) ?? text(account['primaryApiKey']);
  return {
    account: accountText === undefined ? null : new Secret(accountText),
    key: key === null ? null : new Secret(key),
  };
}

function nothing(agent: LoginAgent, root: string, fault: string): StoredCredential {
  return {
    agent,
    file: join(root, agent, CREDENTIAL_FILE[agent]),
    facts: [],
    fault,
    sha256: null,
    document: null,
    account: null,
    key: () => null,
  };
}

/**
 * Closes the store and its folder for an agent to other users.
 * @returns why they can't be used, or null; what is missing can
 */
export async function closeStore(root: string, agent: LoginAgent): Promise<string | null> {
  return (await closeFolder(root, 'its folder')) ?? (await closeFolder(join(root, agent), agent));
}

async function closeFolder(folder: string, name: string): Promise<string | null> {
  try {
    const info = await lstat(folder);
    if (info.isSymbolicLink()) return `${name} is a symbolic link`;
    if (!info.isDirectory()) return `${name} is no folder`;
    if ((info.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
    return null;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    const reason = refusalOf(error);
    if (reason === null) throw error;
    return `${name} can not be used: ${reason}`;
  }
}
