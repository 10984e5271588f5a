import { credentialProblem, type CredentialFacts } from '../../storage/auth/credential-facts.js';
import type { LoginAgent } from '../../storage/auth/login-agent.js';

/** A credential and what is wrong with it, or null. */
export type CheckedCredential = CredentialFacts & { readonly problem: string | null };

/** `login --verify` as data. No secret and nobody's name is in it. */
export interface LoginView {
  readonly agent: LoginAgent;
  readonly credentials: readonly CheckedCredential[];
  /** Variable that holds the key which trials use, where the store has nothing. */
  readonly keyFrom?: string | null;
  readonly cli: { readonly version: string; readonly where: string } | null;
}

export function credentialsJson(
  facts: readonly CredentialFacts[],
  nowMs = Date.now(),
): Pick<LoginView, 'credentials'> {
  return {
    credentials: facts.map((one) => ({ ...one, problem: credentialProblem(one, nowMs) })),
  };
}

export function credentialLines({
  agent,
  cli,
  credentials,
  keyFrom,
}: LoginView): readonly string[] {
  return [
    ...credentials.map((one) => `${nameOf(agent, one.provider)}: ${inWords(one)}`),
    ...(keyFrom == null
      ? []
      : [`${agent}: API key of ${keyFrom}; a proxy adds it outside of trials`]),
    ...(cli === null ? [] : [`${agent} ${cli.version} runs (${cli.where})`]),
  ];
}

function nameOf(agent: string, provider: string | null): string {
  return provider === null ? agent : `${agent}, ${provider}`;
}

function inWords(one: CheckedCredential): string {
  if (one.kind === 'api-key') return 'API key; a proxy adds it outside of trials';
  const access =
    one.accessExpiresAt === null ? '' : `, access until ${one.accessExpiresAt}, then refreshed`;
  const end = one.refreshExpiresAt === null ? '' : `, ends at ${one.refreshExpiresAt}`;
  return `login${access}${end}${one.problem === null ? '' : ` (${one.problem})`}`;
}
