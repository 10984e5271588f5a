import type { Experiment } from '../../domain/experiment/experiment.js';
import { isPaidKind } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';

export const AGENT_CLIS = ['claude', 'codex', 'opencode'] as const;
export type AgentCli = (typeof AGENT_CLIS)[number];

/** npm package of each agent CLI. */
export const CLI_PACKAGES: Readonly<Record<AgentCli, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
};

/** What is installed where no pin says otherwise: fixed, so that two builds give the same tools. */
export const DEFAULT_VERSIONS = {
  node: '20.20.2',
  npm: '10.8.2',
  uv: '0.13.9',
  claude: '2.1.332',
  codex: '0.171.0',
  opencode: '1.18.33',
} as const;

/** `package@version` of an agent CLI: the pinned version, else the one of {@link DEFAULT_VERSIONS}. */
export function cliPackage(name: AgentCli, pins: Readonly<Record<string, string>>): string {
  return `${CLI_PACKAGES[name]}@${pins[name] ?? DEFAULT_VERSIONS[name]}`;
}

/** Everything that decides what a base image holds. */
export interface BaseRecipe {
  readonly source:
    | { readonly kind: 'image'; readonly from: string }
    /** This machine's own programs. */
    | { readonly kind: 'host' };
  readonly node: string;
  /** Null: the one of the distribution, where it has any. */
  readonly ruby: string | null;
  /** Agent CLIs to install, with their versions. */
  readonly agents: Readonly<Partial<Record<AgentCli, string>>>;
  /** Only for source `host`, which brings no more than is asked for. */
  readonly needs: readonly HostNeed[];
  /** The context has `ca.crt`, certificates that this network needs. */
  readonly hasCaFile: boolean;
  /** Where npm packages come from, without a slash at the end. */
  readonly registry: string;
}

export type HostNeed = 'npm' | 'python' | 'postgresql';

type Subject = Pick<Experiment, 'agents' | 'apps' | 'pins'>;

/**
 * The agent CLIs to install: those asked for, else those the experiment uses, else all; of the host's own
 * programs none that nobody asked for.
 * @throws LlmxError `usage`
 */
export function wantedAgents(
  asked: string | null,
  subject: Subject | null,
  source: BaseRecipe['source']['kind'],
): BaseRecipe['agents'] {
  const names = asked === null ? defaultAgents(subject, source) : readList(asked);
  return Object.fromEntries(
    names.map((name) => [name, subject?.pins[name] ?? DEFAULT_VERSIONS[name]]),
  );
}

function defaultAgents(
  subject: Subject | null,
  source: BaseRecipe['source']['kind'],
): readonly AgentCli[] {
  if (subject === null) return source === 'host' ? [] : AGENT_CLIS;
  const kinds = new Set(subject.agents.map(({ kind }) => kind).filter(isPaidKind));
  return AGENT_CLIS.filter((name) => kinds.has(name));
}

function readList(asked: string): readonly AgentCli[] {
  const names = asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'none');
  const unknown = names.filter((name) => !(AGENT_CLIS as readonly string[]).includes(name));
  if (unknown.length > 0) {
    const problem = `--agents: unknown ${unknown.join(', ')} (known: ${AGENT_CLIS.join(', ')}, none)`;
    const hint = `llmx-client build base --agents ${AGENT_CLIS.join(',')}`;
    throw new LlmxError('usage', { problem, hint });
  }
  return AGENT_CLIS.filter((name) => names.includes(name));
}

/** The ruby of the pins, else that of an app; two apps with different ones need an image each. */
export function wantedRuby(subject: Subject | null): string | null {
  if (subject === null) return null;
  const pinned = subject.pins['ruby'];
  if (pinned !== undefined) return pinned;
  const written = new Set(
    subject.apps.flatMap(({ toolchain, ruby }) =>
      toolchain === 'ruby' && ruby !== null ? [ruby] : [],
    ),
  );
  if (written.size > 1) {
    const problem = `the apps ask for more than one ruby (${[...written].join(', ')})`;
    throw new LlmxError('usage', { problem, hint: 'set pins: {ruby: VERSION} in experiment.yml' });
  }
  return [...written][0] ?? null;
}

/** @throws LlmxError `usage` for what this machine's programs can't give */
export function hostNeeds(subject: Subject | null): readonly HostNeed[] {
  const apps = subject?.apps ?? [];
  if (apps.some(({ toolchain }) => toolchain === 'ruby')) {
    const problem = '--from-host brings no ruby';
    throw new LlmxError('usage', { problem, hint: 'llmx-client build base' });
  }
  const needs: HostNeed[] = [];
  if (apps.some(({ toolchain, setup }) => toolchain === 'node' && setup !== null))
    needs.push('npm');
  if (apps.some(({ toolchain }) => toolchain === 'python')) needs.push('python');
  if (apps.some(({ database }) => database === 'postgresql')) needs.push('postgresql');
  return needs;
}
