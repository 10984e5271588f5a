/** The experiment as the rest of llmx sees it: every default filled in, every rule checked. */

export const AGENT_KINDS = ['claude', 'codex', 'opencode', 'command', 'oracle', 'nop'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

export const RUNTIME_KINDS = ['apple', 'docker', 'podman', 'process'] as const;
export type RuntimeKind = (typeof RUNTIME_KINDS)[number];

export const DATABASES = ['sqlite3', 'postgresql'] as const;
export type Database = (typeof DATABASES)[number];

export const TOOLCHAINS = ['ruby', 'node', 'python', 'none'] as const;
export type Toolchain = (typeof TOOLCHAINS)[number];

export const NETWORKS = ['model-only', 'open', 'none'] as const;
export type NetworkMode = (typeof NETWORKS)[number];

/** A number written with its unit as the file has it (`6g`, `8192 MB`), and the same in bytes. */
export interface MemorySize {
  readonly text: string;
  readonly bytes: number;
}

export interface AgentSpec {
  /** Key in `agents:`; the name in paths, filters and reports. */
  readonly name: string;
  readonly kind: AgentKind;
  /** Model asked for, or null for the CLI's default. */
  readonly model: string | null;
  /** Only for kind `command`; argv[0] with a slash is relative to the experiment. */
  readonly argv: readonly string[] | null;
}

export interface AppSpec {
  readonly key: string;
  readonly toolchain: Toolchain;
  /** Source text as written (`3.0` stays `3.0`); null where the toolchain has no ruby. */
  readonly ruby: string | null;
  readonly bundler: string;
  readonly database: Database | null;
  readonly testCommand: string;
  /** Null when there is nothing to prepare (no ruby and none given). */
  readonly dbPrepare: string | null;
  /** JavaScript regular expression source, matched with flag `m`. */
  readonly suiteRanPattern: string;
  readonly suiteRanFlags: string;
  readonly publishTranscripts: boolean;
  readonly branchPrefix: string;
  /** Files removed before the flattened commit, relative to the checkout. */
  readonly neutralize: readonly string[];
  /** Shell command that installs dependencies when the template is built, or null. */
  readonly setup: string | null;
  /** Image name; default `llmx-app-<key>:latest`. */
  readonly image: string;
}

export interface TaskSpec {
  readonly id: string;
  readonly app: string;
  readonly testFile: string;
  readonly implFiles: readonly string[];
  /** Reference patch, relative to the experiment folder, or null. */
  readonly solution: string | null;
  /** Agent time limit of this task in milliseconds (the trial's unless the task sets its own). */
  readonly timeoutMs: number;
}

export interface TrialLimits {
  readonly timeoutMs: number;
  readonly memory: MemorySize;
  /** Source text as written, a positive number. */
  readonly cpus: string;
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
}

export interface GridLimits {
  readonly maxCostUsd: number | null;
  readonly maxTokens: number | null;
  readonly maxHours: number | null;
  /** After this many voids in a row the grid pauses. @defaultValue 5 */
  readonly maxConsecutiveVoids: number;
}

export interface PreflightSettings {
  readonly approvalMs: number;
  /** One-minute load average above which a paid trial is doubtful; null = number of CPUs. */
  readonly maxLoad: number | null;
  /** Free disk for trials, in GB (1e9). @defaultValue 2 */
  readonly minFreeGb: number;
}

export type OrderSpec =
  { readonly kind: 'rotate' } | { readonly kind: 'random'; readonly seed: number };

export interface Experiment {
  readonly name: string;
  readonly question: string;
  readonly pins: Readonly<Record<string, string>>;
  readonly agents: readonly AgentSpec[];
  readonly conditions: readonly string[];
  readonly apps: readonly AppSpec[];
  readonly tasks: readonly TaskSpec[];
  readonly trial: TrialLimits;
  readonly repeats: number;
  /** Null: nobody has chosen one. */
  readonly runtime: RuntimeKind | null;
  /** Where none is chosen; null: the first runtime that works on this host. Fixed when a grid starts. */
  readonly defaultRuntime: RuntimeKind | null;
  readonly order: OrderSpec;
  readonly alpha: number | null;
  readonly primary: readonly string[];
  readonly limits: GridLimits;
  readonly preflight: PreflightSettings;
  /** Program that gets each event as JSON on its stdin, or null. */
  readonly notifyCommand: readonly string[] | null;
  readonly network: NetworkMode;
}

/** Kinds whose agents spend money and run with permissions bypassed. */
export type PaidKind = 'claude' | 'codex' | 'opencode';

export function isPaidKind(kind: AgentKind): kind is PaidKind {
  return kind === 'claude' || kind === 'codex' || kind === 'opencode';
}
