import { randomBytes } from 'node:crypto';
import { baseImage } from '../../apps/image/names.js';
import { RUNTIME_KINDS } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ContainerEngine, ContainerRun } from '../../runtimes/containers/engine.js';
import { engineOf, isEngineKind } from '../../runtimes/containers/engines.js';
import type { LoginAgent } from '../../storage/auth/login-agent.js';
import { runCommand } from '../../support/run-command.js';
import { whichProgram } from '../../support/which-program.js';
import { chooseEngine } from '../build/engine.js';
import type { LoginFlags } from '../commands/login.js';
import type { CliContext } from '../context.js';

/** An agent's own program, where it was found to run. */
export interface AgentCli {
  readonly agent: LoginAgent;
  readonly version: string;
  /** For a reader. */
  readonly where: string;
  /** The engine whose base image has it; null where it is this machine's own. */
  readonly engine: ContainerEngine | null;
}

const VERSION_TIMEOUT_MS = 60_000;

/**
 * The program of the base image, which is the one that trials use; else that of this machine.
 * @throws LlmxError `agent_cli_missing`, `usage`
 */
export async function findAgentCli(
  cli: CliContext,
  agent: LoginAgent,
  flags: LoginFlags,
): Promise<AgentCli> {
  const image = baseImage(cli.env);
  const tried: string[] = [];
  if (flags.onHost !== true) {
    const engine = await engineWith(image, flags.runtime);
    if (engine === null) tried.push(`no container engine here has the image ${image}`);
    else {
      const version = await versionIn(engine, image, agent);
      if (version !== null) return { agent, version, engine, where: `${image} on ${engine.kind}` };
      tried.push(`the image ${image} on ${engine.kind} has none`);
    }
  }
  if (flags.runtime === undefined) {
    const version = await versionHere(cli, agent);
    if (version !== null) return { agent, version, engine: null, where: 'on PATH' };
    tried.push('none on PATH answers');
  }
  const hint = `llmx-client build base --agents ${agent}`;
  throw new LlmxError('agent_cli_missing', { agent, places: tried.join('; '), hint });
}

/** The engine asked for, else the first that works and has the image. */
async function engineWith(
  image: string,
  asked: string | undefined,
): Promise<ContainerEngine | null> {
  if (asked !== undefined) {
    const engine = await chooseEngine(asked, null);
    return (await engine.image(image)) === null ? null : engine;
  }
  for (const kind of RUNTIME_KINDS.filter(isEngineKind)) {
    const engine = engineOf(kind);
    if ((await engine.probe()).ok && (await engine.image(image)) !== null) return engine;
  }
  return null;
}

/** A container for an agent's own program, outside of any trial. */
export function cliContainer(
  agent: LoginAgent,
  image: string,
  user: string,
): Omit<ContainerRun, 'argv' | 'mounts' | 'network' | 'workdir' | 'env'> {
  return {
    name: `llmx-login-${agent}-${randomBytes(4).toString('hex')}`,
    image,
    labels: {},
    memory: { text: '2g', bytes: 2 * 1024 ** 3 },
    cpus: '2',
    pidsLimit: 1_024,
    user,
  };
}

async function versionIn(
  engine: ContainerEngine,
  image: string,
  agent: LoginAgent,
): Promise<string | null> {
  const run = await engine.runCommand({
    ...cliContainer(agent, image, await engine.user()),
    argv: [agent, '--version'],
    env: { HOME: '/tmp' },
    mounts: [],
    network: 'none',
    workdir: '/tmp',
  });
  const [program = '', ...args] = run.argv;
  const result = await runCommand([program, ...args], {
    env: run.env,
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  return result.ok ? versionOf(result.stdout) : null;
}

async function versionHere({ env }: CliContext, agent: LoginAgent): Promise<string | null> {
  const program = await whichProgram(agent, env);
  if (program === null) return null;
  const result = await runCommand([program, '--version'], { timeoutMs: VERSION_TIMEOUT_MS });
  return result.ok ? versionOf(result.stdout) : null;
}

function versionOf(output: string): string {
  return /\d+(\.\d+)+\S*/.exec(output)?.[0] ?? (output.trim().split('\n', 1)[0] ?? '').slice(0, 60);
}
