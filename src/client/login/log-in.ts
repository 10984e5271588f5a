import { spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY_SETTINGS } from '../../agents/key-apis.js';
import { baseImage } from '../../apps/image/names.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ClientCommand, ContainerEngine } from '../../runtimes/containers/engine.js';
import type { CredentialFacts } from '../../storage/auth/credential-facts.js';
import { closeStore } from '../../storage/auth/auth-store.js';
import { importLogin } from '../../storage/auth/import-login.js';
import { HOME_FOLDER, type LoginAgent } from '../../storage/auth/login-agent.js';
import { refusalOf } from '../../support/file-faults.js';
import { whichProgram } from '../../support/which-program.js';
import { homeEnv, makePrivateHome } from '../../trial/credentials/prepare-credentials.js';
import type { CliContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { ExitRequest } from '../exit-request.js';
import { cliContainer, type AgentCli } from './agent-cli.js';

const HOME_INSIDE = '/login';

/** A file, and not the key ring of a desktop, which no trial has. */
const CODEX_IN_FILE = ['-c', 'cli_auth_credentials_store="file"'];

/** How each program is told to log in; inside a container no browser can come back to it. */
const LOGIN_ARGS: Readonly<Record<LoginAgent, (isInside: boolean) => readonly string[]>> = {
  claude: () => ['auth', 'login'],
  codex: (isInside) => ['login', ...(isInside ? ['--device-auth'] : []), ...CODEX_IN_FILE],
  opencode: () => ['auth', 'login'],
};

/** Would lead a program to another login than the one that is being made. */
const ELSEWHERE = /^(CLAUDE_|CODEX_|OPENCODE_|XDG_(CONFIG|DATA|STATE|CACHE)_HOME$)/;

/**
 * Lets an agent's program log in on this terminal, in a HOME of its own beside the store, and takes over what
 * it wrote. A login that is broken off changes nothing.
 * @throws LlmxError `login_incomplete`; ExitRequest when the person gave up
 */
export async function logIn(
  cli: CliContext,
  root: string,
  agentCli: AgentCli,
): Promise<readonly CredentialFacts[]> {
  const { agent, engine } = agentCli;
  await openStore(root, agent);
  const home = await mkdtemp(join(root, '.login-'));
  try {
    await makePrivateHome(home, agent);
    const command =
      engine === null
        ? await onHost(cli, agent, home)
        : await inContainer(cli, agent, home, engine);
    const how = await runOnTerminal(command);
    const facts = await importLogin(root, agent, home);
    if (facts !== null) return facts;
    if (how === 'SIGINT') throw new ExitRequest(EXIT.interrupted);
    throw new LlmxError('login_incomplete', { agent, how });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** @throws LlmxError `auth_store_unusable` */
async function openStore(root: string, agent: LoginAgent): Promise<void> {
  let reason: string | null;
  try {
    await mkdir(join(root, agent), { recursive: true, mode: 0o700 });
    reason = await closeStore(root, agent);
  } catch (error) {
    reason = refusalOf(error);
    if (reason === null) throw error;
  }
  if (reason !== null) throw new LlmxError('auth_store_unusable', { root, reason });
}

async function onHost(cli: CliContext, agent: LoginAgent, home: string): Promise<ClientCommand> {
  const program = (await whichProgram(agent, cli.env)) ?? agent;
  const env = Object.fromEntries(
    Object.entries(cli.env).flatMap(([name, value]) =>
      value === undefined || KEY_SETTINGS.has(name) || ELSEWHERE.test(name) ? [] : [[name, value]],
    ),
  );
  return { argv: [program, ...LOGIN_ARGS[agent](false)], env: { ...env, ...homeOf(agent, home) } };
}

async function inContainer(
  cli: CliContext,
  agent: LoginAgent,
  home: string,
  engine: ContainerEngine,
): Promise<ClientCommand> {
  const user = await engine.user();
  await giveTo(user, [home, ...foldersOf(agent, home)]);
  return engine.runCommand({
    ...cliContainer(agent, baseImage(cli.env), user),
    argv: [agent, ...LOGIN_ARGS[agent](true)],
    env: { ...homeOf(agent, HOME_INSIDE), TERM: cli.env['TERM'] ?? 'xterm' },
    mounts: [{ source: home, target: HOME_INSIDE, readOnly: false }],
    network: 'open',
    workdir: HOME_INSIDE,
    hasTerminal: true,
  });
}

function homeOf(agent: LoginAgent, home: string): Record<string, string> {
  return { HOME: home, ...homeEnv(agent, home) };
}

function foldersOf(agent: LoginAgent, home: string): readonly string[] {
  const parts = HOME_FOLDER[agent].split('/');
  return parts.map((_part, at) => join(home, ...parts.slice(0, at + 1)));
}

/** Root's folders become the user's inside; without root they are his already. */
async function giveTo(user: string, folders: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  await Promise.all(folders.map((folder) => chown(folder, uid, gid)));
}

/** @returns how it ended, in words; the signal's name where it was one */
async function runOnTerminal({ argv, env }: ClientCommand): Promise<string> {
  const [program, ...args] = argv;
  // Ctrl-C is for the program; what it leaves is removed afterwards.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    return await new Promise<string>((resolve) => {
      const child = spawn(program, args, { env, stdio: 'inherit' });
      child.once('error', ({ message }) => {
        resolve(message);
      });
      child.once('exit', (exit, signal) => {
        resolve(exit === 130 ? 'SIGINT' : (signal ?? `exit ${exit ?? '?'}`));
      });
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
