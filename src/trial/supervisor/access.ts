import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import {
  planCredentials,
  type CredentialPlan,
  type ModelKey,
} from '../../agents/credential-plan.js';
import { KEY_SETTINGS, proxiedEnv } from '../../agents/key-apis.js';
import type { ModelApi } from '../../agents/model-access.js';
import type { ModelHost } from '../../domain/network/model-host.js';
import { startKeyProxy } from '../../network/key-proxy.js';
import { MODEL_REQUESTS_FILE } from '../../network/model-requests.js';
import type { Sandbox } from '../../runtimes/runtime.js';
import { isLoginAgent } from '../../storage/auth/login-agent.js';
import type { Environment } from '../../support/paths.js';
import {
  homeEnv,
  makePrivateHome,
  prepareCredentials,
} from '../credentials/prepare-credentials.js';
import { isLoginOut, returnSalvaged } from '../credentials/salvage.js';
import { writeBackCredentials } from '../credentials/write-back.js';
import type { SupervisorSpec } from '../supervisor-spec.js';
import type { TrialFiles } from '../trial-files.js';

/** How the agent of one trial gets at its model, while it runs. */
export interface ModelAccess {
  /** For the agent alone: where its login is, or where its API is and a key that opens nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** The same for an agent that is told by its settings; null where it goes there with a login of its own. */
  readonly model: ModelApi | null;
  /** Where the agent gets to its API by way of the host; empty where it goes there itself. */
  readonly doors: readonly ModelHost[];
  /** Once nothing of the agent runs any more. */
  end(): Promise<void>;
}

const NOTHING: ModelAccess = { env: {}, model: null, doors: [], end: () => Promise.resolve() };

/** Takes the keys out of an environment, so that nothing that is started with it gets them. */
export function takeKeySettings(env: NodeJS.ProcessEnv): Environment {
  const all = { ...env };
  for (const name of KEY_SETTINGS) delete env[name];
  return all;
}

/**
 * Reads how the agent can get at its model, before anything of the trial is made. Called by who holds the
 * host: logins of dead trials come back into the store first, for theirs may be the only ones that work.
 */
export async function planAccess(
  { agent }: Pick<SupervisorSpec, 'agent'>,
  files: TrialFiles,
  host: { readonly env: Environment; readonly removeLeftovers: () => Promise<void> },
): Promise<CredentialPlan> {
  if (!isLoginAgent(agent.kind)) return { status: 'none' };
  const { dir, salvagedLogin } = files;
  if (await isLoginOut(dirname(dir), basename(dir))) await host.removeLeftovers();
  const note = (text: string): void => {
    console.error(text);
  };
  await returnSalvaged(dirname(salvagedLogin), Date.now(), note);
  return planCredentials(agent, host.env, Date.now());
}

/** Gives the agent what was planned, in a sandbox in which nothing runs yet. */
export async function openAccess(
  plan: CredentialPlan,
  spec: Pick<SupervisorSpec, 'agent' | 'attemptDir'>,
  sandbox: Sandbox,
  files: TrialFiles,
  env: Environment,
): Promise<ModelAccess> {
  const { kind } = spec.agent;
  if (!isLoginAgent(kind)) return NOTHING;
  const own = homeEnv(kind, sandbox.inside.home);
  switch (plan.status) {
    case 'unusable':
      throw new Error('a trial without access to its model was to be void');
    case 'none':
      await makePrivateHome(sandbox.host.home, kind);
      return { ...NOTHING, env: own };
    case 'login':
      await prepareCredentials(plan.login, sandbox, files.credentials);
      return { ...NOTHING, env: own, end: () => takeBack(files) };
    case 'key': {
      await makePrivateHome(sandbox.host.home, kind);
      const proxied = await openKeyProxy(plan.key, spec.attemptDir, env);
      return { ...proxied, env: { ...own, ...proxied.env } };
    }
  }
}

async function openKeyProxy(
  { api, baseUrl, header, isBaseUrlSet, secret }: ModelKey,
  attemptDir: string,
  env: Environment,
): Promise<ModelAccess> {
  const token = `llmx-${randomBytes(24).toString('hex')}`;
  const proxy = await startKeyProxy({
    baseUrl,
    mayBePrivate: isBaseUrlSet,
    header,
    key: secret.reveal(),
    token,
    logFile: join(attemptDir, MODEL_REQUESTS_FILE),
    env,
  });
  return {
    env: proxiedEnv(api, proxy.baseUrl, token),
    model: { provider: api.provider, baseUrl: proxy.baseUrl, key: token },
    doors: [{ host: '127.0.0.1', port: proxy.port, match: 'exact', mayBePrivate: true }],
    end: async () => {
      await proxy.close();
    },
  };
}

/** What becomes of a login does not change what the agent has done. */
async function takeBack(files: TrialFiles): Promise<void> {
  try {
    const end = await writeBackCredentials(files, Date.now());
    if (end === null) return;
    const why = end.status === 'refused' ? `: ${end.reason}` : '';
    console.error(`login of this trial: ${end.status}${why}`);
  } catch (error) {
    console.error(error);
  }
}
