import { textAt, type JsonObject } from '../json-value.js';
import { innerCommand, readShell, type SegmentClass } from './shell-class.js';
import { withoutHereDocuments } from './shell-segments.js';

export type CallClass = 'search' | 'read' | 'edit' | 'bash' | 'other';

/** One tool call of an agent, the same whatever agent made it. */
export interface ToolCall {
  /** As the agent calls the tool. */
  readonly name: string;
  readonly class: CallClass;
  /** What the call asked for, never what came back: where target paths are looked for. */
  readonly locator: string;
  /** Files it names. */
  readonly paths: readonly string[];
  /** Empty for anything but a shell command. */
  readonly segments: readonly SegmentClass[];
}

/** Tools of the three agents by lower-case name; any other is `other`. */
const TOOL_CLASSES: Readonly<Record<string, CallClass>> = {
  grep: 'search',
  glob: 'search',
  ls: 'search',
  list: 'search',
  codesearch: 'search',
  read: 'read',
  notebookread: 'read',
  edit: 'edit',
  write: 'edit',
  multiedit: 'edit',
  notebookedit: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  file_change: 'edit',
  patch_apply: 'edit',
};

const SHELL_TOOLS = new Set(['bash', 'shell', 'command_execution']);

const PATH_KEYS = ['file_path', 'filePath', 'path', 'notebook_path', 'filename'];
const LOCATOR_KEYS = [...PATH_KEYS, 'pattern', 'glob', 'include', 'query'];

/** A tool call with the input the agent gave, as JSON. */
export function toolCall(name: string, input: JsonObject | null): ToolCall {
  const command = textAt(input, 'command');
  if (SHELL_TOOLS.has(name.toLowerCase())) return shellCall(name, command ?? '');
  return {
    name,
    class: TOOL_CLASSES[name.toLowerCase()] ?? 'other',
    locator: textsAt(input, LOCATOR_KEYS).join(' '),
    paths: textsAt(input, PATH_KEYS),
    segments: [],
  };
}

export function shellCall(name: string, command: string): ToolCall {
  const { class: kind, segments, paths } = readShell(command);
  const locator = withoutHereDocuments(innerCommand(command));
  return { name, class: kind, locator, paths, segments };
}

/** A change of files that were named, whatever was done to them. */
export function editCall(name: string, paths: readonly string[]): ToolCall {
  return { name, class: 'edit', locator: paths.join(' '), paths, segments: [] };
}

function textsAt(input: JsonObject | null, keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => textAt(input, key) ?? []);
}
