import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { StoredLogin } from '../../agents/credential-plan.js';
import type { Sandbox } from '../../runtimes/runtime.js';
import { objectOf, type JsonObject } from '../../storage/auth/credential-facts.js';
import {
  CLAUDE_ACCOUNT_FILE,
  CREDENTIAL_FILE,
  HOME_FOLDER,
  type LoginAgent,
} from '../../storage/auth/login-agent.js';
import { parseObject } from '../../storage/auth/private-file.js';
import { writeJsonAtomic } from '../../support/atomic-file.js';
import type { HandedOut } from './handed-out.js';

/**
 * Puts a private copy of a stored login into the HOME of a sandbox in which nothing runs yet. Files are 0600
 * and folders 0700; whoever starts the sandbox gives them to the user inside. Only the login goes along: what
 * the store's files hold besides (MCP servers, projects, other providers) would be the operator's, not the trial's.
 * @param recordFile says until {@link writeBackCredentials} that a copy is out
 */
export async function prepareCredentials(
  { root, stored, provider }: StoredLogin,
  { host }: Pick<Sandbox, 'host'>,
  recordFile: string,
): Promise<void> {
  const { agent } = stored;
  const document = parseObject(stored.document?.reveal() ?? '') ?? {};
  const handed: HandedOut = { schemaVersion: 1, agent, root, sha256: stored.sha256 ?? '' };
  await writeJsonAtomic(recordFile, handed, { mode: 0o600, sync: 'nothing' });
  const folder = await makePrivateHome(host.home, agent);
  await writePrivate(join(folder, CREDENTIAL_FILE[agent]), loginOf(agent, document, provider));
  if (agent === 'claude') {
    const account = parseObject(stored.account?.reveal() ?? '') ?? {};
    await writePrivate(join(host.home, CLAUDE_ACCOUNT_FILE), accountOf(account));
  }
}

/** The folder of a CLI in a private HOME, which it may expect to be there. */
export async function makePrivateHome(home: string, agent: LoginAgent): Promise<string> {
  const folder = join(home, HOME_FOLDER[agent]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Variables that name a CLI's folder where it does not look for it below HOME by itself. */
export function homeEnv(agent: LoginAgent, insideHome: string): Record<string, string> {
  return agent === 'codex' ? { CODEX_HOME: posix.join(insideHome, HOME_FOLDER.codex) } : {};
}

function loginOf(agent: LoginAgent, document: JsonObject, provider: string | null): JsonObject {
  switch (agent) {
    case 'claude':
      return { claudeAiOauth: document['claudeAiOauth'] };
    case 'codex':
      // A key that lies beside the login stays outside.
      return { ...document, OPENAI_API_KEY: null };
    case 'opencode':
      return Object.fromEntries(
        Object.entries(document).filter(
          ([name, entry]) =>
            objectOf(entry)['type'] !== 'api' && (provider === null || name === provider),
        ),
      );
  }
}

/** Without it claude would ask its first questions. */
function accountOf(account: JsonObject): JsonObject {
  const { oauthAccount } = account;
  return { hasCompletedOnboarding: true, ...(oauthAccount === undefined ? {} : { oauthAccount }) };
}

async function writePrivate(file: string, value: JsonObject): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
}
