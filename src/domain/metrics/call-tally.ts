import type { CallClass, ToolCall } from './tool-call.js';

/** Where the agent worked, and what it had to find. */
export interface CallContext {
  /** The task's `impl_files`, relative to the checkout. */
  readonly targets: readonly string[];
  /** The checkout as the agent saw it, or null when it is not known. */
  readonly checkoutDir: string | null;
}

/** The figures of metrics.json that tool calls give. */
export interface CallFigures {
  readonly total_tool_calls: number;
  readonly search_calls: number;
  readonly read_calls: number;
  readonly edit_calls: number;
  readonly bash_calls: number;
  readonly other_calls: number;
  readonly total_shell_segments: number;
  readonly search_segments: number;
  readonly read_segments: number;
  /** Different paths in calls of class read or edit. */
  readonly distinct_files_read: number;
  /** 0-based; null when no call named a target. */
  readonly tool_calls_to_first_target_read: number | null;
  /** 0-based; null without an edit. */
  readonly tool_calls_to_first_edit: number | null;
  /** Search calls before the first that named a target; null when none did. */
  readonly searches_before_first_target: number | null;
  readonly zero_search_navigation: boolean | null;
  /** Of the first {@link MAX_LISTED} calls. */
  readonly tool_call_classes: readonly CallClass[];
  readonly tool_call_names: readonly string[];
}

/** Longer lists are cut off, so that a transcript of any size fits into memory; counts go on. */
export const MAX_LISTED = 10_000;
/** Paths that are told apart. */
const MAX_PATHS = 50_000;

/** Counts the tool calls of a run, one after another, in constant memory. */
export class CallTally {
  private readonly byClass: Record<CallClass, number> = {
    search: 0,
    read: 0,
    edit: 0,
    bash: 0,
    other: 0,
  };
  private readonly classes: CallClass[] = [];
  private readonly names: string[] = [];
  private readonly files = new Set<string>();
  private readonly targets: readonly RegExp[];
  private calls = 0;
  private segments = { all: 0, search: 0, read: 0 };
  private firstTarget: { readonly at: number; readonly searches: number } | null = null;
  private firstEdit: number | null = null;

  private checkoutDir: string | null;

  constructor(context: CallContext) {
    this.checkoutDir = context.checkoutDir;
    this.targets = context.targets.filter((path) => path !== '').map(targetPattern);
  }

  get count(): number {
    return this.calls;
  }

  /** Where the agent says it works; counts where nothing else is known. */
  startedIn(folder: string | null): void {
    this.checkoutDir ??= folder;
  }

  add(call: ToolCall): void {
    if (this.firstTarget === null && this.targets.some((target) => target.test(call.locator))) {
      this.firstTarget = { at: this.calls, searches: this.byClass.search };
    }
    if (call.class === 'edit') this.firstEdit ??= this.calls;
    if (call.class === 'edit' || call.class === 'read')
      call.paths.forEach((path) => this.file(path));
    if (this.calls < MAX_LISTED) {
      this.classes.push(call.class);
      this.names.push(call.name);
    }
    this.calls += 1;
    this.byClass[call.class] += 1;
    for (const segment of call.segments) {
      this.segments.all += 1;
      if (segment === 'search' || segment === 'read') this.segments[segment] += 1;
    }
  }

  figures(): CallFigures {
    const { byClass, firstTarget, segments } = this;
    return {
      total_tool_calls: this.calls,
      search_calls: byClass.search,
      read_calls: byClass.read,
      edit_calls: byClass.edit,
      bash_calls: byClass.bash,
      other_calls: byClass.other,
      total_shell_segments: segments.all,
      search_segments: segments.search,
      read_segments: segments.read,
      distinct_files_read: this.files.size,
      tool_calls_to_first_target_read: firstTarget?.at ?? null,
      tool_calls_to_first_edit: this.firstEdit,
      searches_before_first_target: firstTarget?.searches ?? null,
      zero_search_navigation: firstTarget === null ? null : firstTarget.searches === 0,
      tool_call_classes: this.classes,
      tool_call_names: this.names,
    };
  }

  private file(path: string): void {
    if (this.files.size < MAX_PATHS) this.files.add(relativePath(path, this.checkoutDir));
  }
}

/** The path of a file is the same with and without the checkout before it. */
function relativePath(path: string, checkoutDir: string | null): string {
  const plain = path.replace(/\/\.(?=\/)/g, '').replace(/\/{2,}/g, '/');
  const root = checkoutDir?.replace(/\/+$/, '');
  const inside =
    root !== undefined && plain.startsWith(`${root}/`) ? plain.slice(root.length + 1) : plain;
  return inside.replace(/^(\.\/)+/, '').slice(0, 4096);
}

/** The whole relative path, and not the end of another name or the start of a longer one. */
function targetPattern(path: string): RegExp {
  const escaped = path.replace(/^(\.\/)+/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`);
}
