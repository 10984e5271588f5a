import {
  NETWORKS,
  RUNTIME_KINDS,
  type Experiment,
  type GridLimits,
  type OrderSpec,
  type PreflightSettings,
  type TrialLimits,
} from './experiment.js';
import { type Fields, type NumberRule } from './fields.js';
import { CPUS, MEMORY, memorySize, METRIC, VERSION, type TextRule } from './rules.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const TRIAL_KEYS = ['timeout_seconds', 'memory', 'cpus', 'max_cost_usd', 'max_tokens'];
const LIMIT_KEYS = ['max_cost_usd', 'max_tokens', 'max_hours', 'max_consecutive_voids'];
const PREFLIGHT_KEYS = ['approval_hours', 'max_load', 'min_free_gb'];
const PIN_KEYS = ['claude', 'codex', 'opencode', 'node', 'ruby'];
const NOTIFY_HINT = 'write notify: {command: [program, argument]}';

/** A timer of the platform holds at most 2^31 ms, a little more than 24 days. */
export const SECONDS: NumberRule = { min: 1, max: 24 * 24 * 3_600 };

const POSITIVE: NumberRule = { above: 0, max: 1e12 };
const COUNT: NumberRule = { min: 1, max: 1e12 };
const MS_PER_HOUR = 3_600_000;

const DEFAULTS = {
  timeoutMs: 900_000,
  memory: '6g',
  cpus: '4',
  minFreeGb: 2,
  approvalHours: 72,
  maxConsecutiveVoids: 5,
} as const;

/** Environment variables that replace a default; what the file says comes first. */
export const DEFAULT_VARIABLES = [
  'LLMX_MEMORY',
  'LLMX_CPUS',
  'LLMX_MIN_FREE_GB',
  'LLMX_RUNTIME',
] as const;
type DefaultVariable = (typeof DEFAULT_VARIABLES)[number];

export function parseTrial(file: Fields, env: Environment): TrialLimits {
  const trial = file.sub('trial', TRIAL_KEYS);
  const memory = withDefault(trial, 'memory', { rule: MEMORY, variable: 'LLMX_MEMORY', env });
  const cpus = withDefault(trial, 'cpus', { rule: CPUS, variable: 'LLMX_CPUS', env });
  return {
    timeoutMs: trial.seconds('timeout_seconds', SECONDS) ?? DEFAULTS.timeoutMs,
    memory: memorySize(memory ?? DEFAULTS.memory) ?? { text: '', bytes: 0 },
    cpus: cpus ?? DEFAULTS.cpus,
    maxCostUsd: trial.number('max_cost_usd', POSITIVE),
    maxTokens: trial.whole('max_tokens', COUNT),
  };
}

interface Override {
  readonly rule: TextRule;
  readonly variable: DefaultVariable;
  readonly env: Environment;
}

function withDefault(fields: Fields, key: string, override: Override): string | null {
  return fields.has(key) ? fields.text(key, override.rule) : fromEnvironment(fields, override);
}

function fromEnvironment(fields: Fields, { rule, variable, env }: Override): string | null {
  const value = env[variable];
  if (value === undefined || value === '') return null;
  if (rule.allows(value)) return value;
  fields.source.faultOutside(
    `the environment variable ${variable} ${rule.must}, not ${JSON.stringify(value.slice(0, 60))}`,
    `${rule.hint}; or: unset ${variable}`,
  );
  return null;
}

const FREE_GB: TextRule = {
  allows: (text) => /^\d{1,9}(?:\.\d+)?$/.test(text),
  must: 'must be a number of GB',
  hint: 'write a number, such as 2',
};

export function parsePreflight(file: Fields, env: Environment): PreflightSettings {
  const preflight = file.sub('preflight', PREFLIGHT_KEYS);
  const hours = preflight.number('approval_hours', { above: 0, max: 8_760 });
  const freeGb = preflight.number('min_free_gb', { min: 0, max: 1e6 });
  const override = preflight.has('min_free_gb')
    ? null
    : fromEnvironment(preflight, { rule: FREE_GB, variable: 'LLMX_MIN_FREE_GB', env });
  return {
    approvalMs: Math.round((hours ?? DEFAULTS.approvalHours) * MS_PER_HOUR),
    maxLoad: preflight.number('max_load', POSITIVE),
    minFreeGb: freeGb ?? (override === null ? DEFAULTS.minFreeGb : Number(override)),
  };
}

export function parseLimits(file: Fields): GridLimits {
  const limits = file.sub('limits', LIMIT_KEYS);
  return {
    maxCostUsd: limits.number('max_cost_usd', POSITIVE),
    maxTokens: limits.whole('max_tokens', COUNT),
    maxHours: limits.number('max_hours', POSITIVE),
    maxConsecutiveVoids:
      limits.whole('max_consecutive_voids', { min: 1, max: 1e6 }) ?? DEFAULTS.maxConsecutiveVoids,
  };
}

type Design = Pick<
  Experiment,
  'repeats' | 'runtime' | 'defaultRuntime' | 'order' | 'alpha' | 'primary' | 'network'
>;

const RUNTIME: TextRule = {
  allows: (text) => RUNTIME_KINDS.some((kind) => kind === text),
  must: `must be one of ${RUNTIME_KINDS.join(', ')}`,
  hint: 'write the name of a runtime, such as podman',
};

/** How the grid is laid out and read afterwards. */
export function parseDesign(file: Fields, env: Environment): Design {
  const given = fromEnvironment(file, { rule: RUNTIME, variable: 'LLMX_RUNTIME', env });
  return {
    repeats: file.whole('repeats', { min: 1, max: 1_000 }) ?? 1,
    runtime: file.choice('runtime', RUNTIME_KINDS),
    defaultRuntime: RUNTIME_KINDS.find((kind) => kind === given) ?? null,
    order: parseOrder(file),
    alpha: file.number('alpha', { above: 0, below: 1 }),
    primary: [...new Set(file.texts('primary', METRIC))],
    network: file.choice('network', NETWORKS) ?? 'model-only',
  };
}

/** The same seed gives the same order; without one it is 1. */
function parseOrder(file: Fields): OrderSpec {
  const kind = file.choice('order', ['rotate', 'random'] as const) ?? 'rotate';
  const seed = file.whole('seed', { min: 0, max: Number.MAX_SAFE_INTEGER });
  return kind === 'random' ? { kind, seed: seed ?? 1 } : { kind };
}

export function parsePins(file: Fields): Readonly<Record<string, string>> {
  const pins = file.sub('pins', PIN_KEYS);
  const pinned = PIN_KEYS.map((key) => [key, pins.text(key, VERSION)] as const);
  return Object.fromEntries(pinned.filter((pin): pin is [string, string] => pin[1] !== null));
}

export function parseNotify(file: Fields): readonly string[] | null {
  const notify = file.sub('notify', ['command']);
  if (notify.map !== null) notify.need('command', NOTIFY_HINT);
  return notify.argv('command', NOTIFY_HINT);
}
