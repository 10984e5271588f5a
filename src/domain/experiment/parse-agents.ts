import { isMap } from 'yaml';
import { AGENT_KINDS, type AgentKind, type AgentSpec } from './experiment.js';
import { brief } from './code-frame.js';
import { describe, entriesOf, Fields, FILE, isNothing, type Entry } from './fields.js';
import { MODEL, PLAIN_NAME } from './rules.js';
import { suggest } from './suggest.js';

const AGENT_KEYS = ['kind', 'model', 'argv'];
const ARGV_HINT = 'write argv: [./agent.sh, first-argument]';
const SUPPORTED = AGENT_KINDS.join(', ');

/** `agents:`; the order of the file is the order of the grid. */
export function parseAgents(file: Fields): readonly AgentSpec[] {
  const hint = 'write agents: {claude: {model: sonnet}}';
  file.need('agents', hint, 'agents must not be empty');
  const map = file.mapAt('agents');
  if (map === null) return [];
  if (map.items.length === 0) file.source.fault(map, 'agents must not be empty', hint);
  return entriesOf(file.source, map, 'agents').flatMap((entry) => parseAgent(file, entry) ?? []);
}

function parseAgent(file: Fields, { key: name, keyNode, value }: Entry): AgentSpec | null {
  const { source } = file;
  const where = `agents.${brief(name)}`;
  if (!PLAIN_NAME.allows(name)) {
    source.fault(keyNode, `${where}: the key ${PLAIN_NAME.must}`, PLAIN_NAME.hint);
    return null;
  }
  if (value !== null && source.isSpoiled(value)) return null;
  const map = isNothing(value) ? null : value;
  if (map !== null && !isMap(map)) {
    source.fault(map, `${where} must be a map, not ${describe(map)}`, `write ${name}: {model: …}`);
    return null;
  }
  const fields = new Fields(source, where, keyNode, map, AGENT_KEYS);
  const kind = kindOf(fields, name);
  const model = fields.text('model', MODEL);
  const argv = fields.argv('argv', ARGV_HINT);
  if (kind === null) return null;
  checkKeysOfKind(fields, kind);
  return { name, kind, model, argv: kind === 'command' ? argv : null };
}

/** The key itself says the kind, unless `kind` does. */
function kindOf(fields: Fields, name: string): AgentKind | null {
  if (fields.has('kind')) return fields.choice('kind', AGENT_KINDS);
  const kind = AGENT_KINDS.find((known) => known === name);
  if (kind !== undefined) return kind;
  const meant = suggest(name, AGENT_KINDS);
  fields.source.fault(
    fields.at,
    `unknown agents: ${name} (supported: ${SUPPORTED})`,
    meant === null ? `write ${name}: {kind: claude} or another kind` : `did you mean ${meant}?`,
  );
  return null;
}

function checkKeysOfKind(fields: Fields, kind: AgentKind): void {
  if (kind === 'command') fields.need('argv', ARGV_HINT);
  else if (fields.node('argv') !== null) {
    fields.source.fault(
      fields.place('argv'),
      `${fields.where}: argv is for kind command only, this one is ${kind}`,
      'remove argv, or write kind: command',
    );
  }
  if ((kind === 'oracle' || kind === 'nop') && fields.node('model') !== null) {
    fields.source.fault(
      fields.place('model'),
      `${fields.where}: an agent of kind ${kind} has no model`,
      'remove model',
    );
  }
}

/** `conditions:` as written in the file: `on`, `yes` and `1.10` are names here. */
export function parseConditions(file: Fields): readonly string[] {
  const hint = 'write conditions: [base]';
  file.need('conditions', hint, 'conditions must not be empty');
  const conditions = file.texts('conditions', PLAIN_NAME);
  const node = file.node('conditions');
  if (node !== null && 'items' in node && Array.isArray(node.items) && node.items.length === 0) {
    file.source.fault(node, 'conditions must not be empty', hint);
  }
  const repeated = conditions.find((name, index) => conditions.indexOf(name) < index);
  if (repeated !== undefined) {
    file.source.fault(
      file.place('conditions'),
      `duplicate conditions: ${repeated}`,
      `keep one of them; ${FILE} repeats cells with repeats: 2`,
    );
  }
  return conditions;
}
