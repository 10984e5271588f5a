import { isMap, isScalar, type Node } from 'yaml';
import { brief } from './code-frame.js';
import type { AgentSpec, TaskSpec } from './experiment.js';
import { describe, Fields, isNothing } from './fields.js';
import { SECONDS } from './parse-settings.js';
import { ANY_TEXT, INSIDE_PATH, insidePath, TASK_ID } from './rules.js';
import { suggest } from './suggest.js';
import { textOf } from './yaml-scalar.js';

const TASK_KEYS = ['id', 'app', 'test_file', 'impl_files', 'solution', 'timeout_seconds'];
const EXAMPLE = 'write tasks as "- id: …" with app and test_file below it';

/** What tasks are checked against. */
export interface TaskContext {
  /** Null when `apps` itself can't be read: no task is blamed for that. */
  readonly appKeys: readonly string[] | null;
  readonly agents: readonly AgentSpec[];
  readonly timeoutMs: number;
}

export function parseTasks(file: Fields, context: TaskContext): readonly TaskSpec[] {
  file.need('tasks', EXAMPLE, 'tasks must not be empty');
  const nodes = file.strictList('tasks', EXAMPLE);
  if (nodes === null) return [];
  if (nodes.length === 0)
    file.source.fault(file.place('tasks'), 'tasks must not be empty', EXAMPLE);
  const tasks = nodes.flatMap((node, index) => taskFields(file, node, index) ?? []);
  reportDuplicates(tasks);
  return tasks.map((task) => readTask(task, context));
}

function taskFields(file: Fields, node: Node, index: number): Fields | null {
  const { source } = file;
  if (source.isSpoiled(node)) return null;
  if (!isMap(node)) {
    const at = isNothing(node) ? file.place('tasks') : node;
    source.fault(at, `task #${index + 1} must be a map, not ${describe(node)}`, EXAMPLE);
    return null;
  }
  const id = node.items.find(({ key }) => isScalar(key) && textOf(key) === 'id')?.value;
  const where = isScalar(id) && !isNothing(id) ? brief(textOf(id)) : `#${index + 1}`;
  const [first] = node.items;
  const at = (first?.key ?? node) as Node;
  return new Fields(source, `task ${where}`, at, node, TASK_KEYS);
}

function reportDuplicates(tasks: readonly Fields[]): void {
  const seen = new Set<string>();
  for (const task of tasks) {
    const node = task.node('id');
    if (node === null || !isScalar(node)) continue;
    const id = textOf(node);
    if (seen.has(id)) {
      task.source.fault(
        node,
        `duplicate task ids: ${brief(id)}`,
        'give each task an id of its own',
      );
    }
    seen.add(id);
  }
}

function readTask(task: Fields, context: TaskContext): TaskSpec {
  task.need('id', `write id: ${TASK_ID.hint}`);
  task.need('app', 'write app: with a key of apps');
  task.need('test_file', 'write test_file: with the path of the failing test in the checkout');
  const oracle = context.agents.find((agent) => agent.kind === 'oracle');
  if (oracle !== undefined) {
    task.need(
      'solution',
      'write solution: with the path of a patch, or remove the agent',
      `${task.where} needs solution: agent ${oracle.name} applies it`,
    );
  }
  return {
    id: task.text('id', TASK_ID) ?? '',
    app: appOf(task, context.appKeys),
    testFile: path(task, 'test_file') ?? '',
    implFiles: task.texts('impl_files', INSIDE_PATH).map((file) => insidePath(file) ?? file),
    solution: path(task, 'solution'),
    timeoutMs: task.seconds('timeout_seconds', SECONDS) ?? context.timeoutMs,
  };
}

function path(task: Fields, key: string): string | null {
  const written = task.text(key, INSIDE_PATH);
  return written === null ? null : insidePath(written);
}

function appOf(task: Fields, keys: readonly string[] | null): string {
  const app = task.text('app', ANY_TEXT);
  if (app !== null && keys !== null && !keys.includes(app)) {
    const meant = suggest(app, keys);
    const hint = meant === null ? `write one of ${keys.join(', ')}` : `did you mean ${meant}?`;
    task.source.fault(task.place('app'), `${task.where}: unknown app ${brief(app)}`, hint);
  }
  return app ?? '';
}
