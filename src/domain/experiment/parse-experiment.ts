import { isMap } from 'yaml';
import type { Experiment } from './experiment.js';
import { fileFault, type Fault } from './fault.js';
import { describe, Fields, FILE, isNothing } from './fields.js';
import { parseAgents, parseConditions } from './parse-agents.js';
import { parseApps } from './parse-apps.js';
import {
  parseDesign,
  parseLimits,
  parseNotify,
  parsePins,
  parsePreflight,
  parseTrial,
  type Environment,
} from './parse-settings.js';
import { parseTasks } from './parse-tasks.js';
import { readYaml } from './read-yaml.js';
import { ANY_TEXT, PRINTABLE } from './rules.js';
import { SourceText } from './source-text.js';

const TOP_KEYS = [
  'name',
  'question',
  'pins',
  'agents',
  'conditions',
  'trial',
  'apps',
  'tasks',
  'repeats',
  'runtime',
  'order',
  'seed',
  'alpha',
  'primary',
  'limits',
  'preflight',
  'notify',
  'network',
];

export type ParsedExperiment =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * Reads the text of an experiment.yml. Every fault is reported, in the order of the file, and one mistake
 * makes one fault. The environment only replaces defaults (`LLMX_MEMORY`, `LLMX_CPUS`, `LLMX_MIN_FREE_GB`).
 */
export function parseExperiment(
  text: string,
  options: { readonly env: Environment },
): ParsedExperiment {
  const source = new SourceText(text);
  const experiment = readFile(source, options.env);
  if (source.faults.length > 0) return { ok: false, faults: source.faults };
  if (experiment !== null) return { ok: true, experiment };
  const empty = fileFault(
    `${FILE} needs a name: the file is empty`,
    'write name, agents, conditions, apps and tasks',
  );
  return { ok: false, faults: [empty] };
}

function readFile(source: SourceText, env: Environment): Experiment | null {
  const root = readYaml(source);
  if (root === null || isNothing(root) || source.isSpoiled(root)) return null;
  if (isMap(root) && root.items.length === 0) return null;
  if (!isMap(root)) {
    source.fault(
      root,
      `${FILE} must be a map, not ${describe(root)}`,
      'write keys and values: "name: …"',
    );
    return null;
  }
  return readExperiment(new Fields(source, FILE, { range: [0, 1] }, root, TOP_KEYS), env);
}

function readExperiment(file: Fields, env: Environment): Experiment {
  file.need('name', 'write name: at the top of the file', `${FILE} needs a name`);
  const agents = parseAgents(file);
  const { apps, keys } = parseApps(file);
  const trial = parseTrial(file, env);
  return {
    name: file.text('name', PRINTABLE) ?? '',
    question: file.text('question', ANY_TEXT) ?? '',
    pins: parsePins(file),
    agents,
    conditions: parseConditions(file),
    apps,
    tasks: parseTasks(file, { appKeys: keys, agents, timeoutMs: trial.timeoutMs }),
    trial,
    ...parseDesign(file, env),
    limits: parseLimits(file),
    preflight: parsePreflight(file, env),
    notifyCommand: parseNotify(file),
  };
}
