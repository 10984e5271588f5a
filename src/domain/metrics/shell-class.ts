import { shellSegments, type ShellSegment } from './shell-segments.js';

export type SegmentClass = 'search' | 'read' | 'edit' | 'bash';

/** What one shell command of an agent amounts to. */
export interface ShellReading {
  readonly class: SegmentClass;
  readonly segments: readonly SegmentClass[];
  /** Files that its reading segments name. */
  readonly paths: readonly string[];
}

/**
 * Generous on purpose, as in the published trees: a listing is a search, and so is a filter on a pipe. Too
 * few searches would favour a code base that is hard to find one's way in.
 */
const SEARCH = new Set(
  'grep egrep fgrep rg ag ack find fd fdfind glob locate tree ls zgrep'.split(' '),
);
const GIT_SEARCH = new Set(['grep', 'ls-files', 'ls-tree']);
const READ = new Set('cat head tail less more bat batcat nl'.split(' '));
const EDIT = new Set(['apply_patch', 'applypatch', 'patch']);
const SHELLS = new Set('sh bash zsh dash ash ksh'.split(' '));

/** Words before the command itself, which run it or only open a block. */
const BEFORE = new Set(
  'sudo env time nice nohup command builtin exec xargs stdbuf timeout then do else elif if while until ! {'.split(
    ' ',
  ),
);

/** A command inside a command (`bash -lc '…'`) is looked into this often. */
const MAX_WRAPPERS = 4;

/**
 * The same rules for every agent. In a command that does several things searching comes first (the question
 * is whether the agent had to hunt), then editing in place, then reading.
 */
export function readShell(command: string): ShellReading {
  const segments = unwrapped(shellSegments(command), 0);
  const classes = segments.map(classOf);
  const first = (['search', 'edit', 'read'] as const).find((each) => classes.includes(each));
  const paths = segments.flatMap((segment, at) =>
    classes[at] === 'read' ? readPaths(segment.words) : [],
  );
  return { class: first ?? 'bash', segments: classes, paths };
}

/** The command that a shell called only to run it was given, and that alone. */
export function innerCommand(command: string): string {
  const [only, second] = shellSegments(command);
  const inner = second === undefined && only !== undefined ? scriptOf(only.words) : null;
  return inner ?? command;
}

function unwrapped(segments: readonly ShellSegment[], depth: number): readonly ShellSegment[] {
  return segments.flatMap((segment) => {
    const script = depth < MAX_WRAPPERS ? scriptOf(commandOf(segment.words)) : null;
    return script === null ? [segment] : unwrapped(shellSegments(script), depth + 1);
  });
}

/** The text that `bash -lc text` runs. */
function scriptOf(words: readonly string[]): string | null {
  if (!SHELLS.has(nameOf(words[0]))) return null;
  const flag = words.findIndex((word, at) => at > 0 && /^-[a-z]*c$/.test(word));
  const isFlag = flag > 0 && words.slice(1, flag).every((word) => word.startsWith('-'));
  return isFlag ? (words[flag + 1] ?? null) : null;
}

function nameOf(word: string | undefined): string {
  return word?.slice(word.lastIndexOf('/') + 1) ?? '';
}

/** Words from the command on: assignments, prefixes and their flags are skipped. */
function commandOf(words: readonly string[]): readonly string[] {
  let at = 0;
  let afterPrefix = false;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const isPrefix = BEFORE.has(nameOf(word));
    // `timeout 10 cmd`, `nice -n 5 cmd`, `xargs -0 cmd`.
    const belongsToPrefix = afterPrefix && /^(-.*|\d+[smhd]?)$/.test(word);
    if (!isPrefix && !belongsToPrefix && !/^\w+=/.test(word)) break;
    afterPrefix ||= isPrefix;
  }
  return words.slice(at);
}

function classOf({ words, writesFile }: ShellSegment): SegmentClass {
  const [first, ...args] = commandOf(words);
  const name = nameOf(first);
  if (SEARCH.has(name)) return 'search';
  if (name === 'git') return gitClass(args);
  if (EDIT.has(name) || isInPlace(name, args)) return 'edit';
  // `cat > file` writes one.
  if (writesFile) return 'bash';
  if (READ.has(name)) return 'read';
  return name === 'sed' && args.some((arg) => /^-[a-zA-Z]*n/.test(arg)) ? 'read' : 'bash';
}

function gitClass(args: readonly string[]): SegmentClass {
  const verb = args.find((arg, at) => !arg.startsWith('-') && !/^-[Cc]$/.test(args[at - 1] ?? ''));
  if (verb === undefined) return 'bash';
  return GIT_SEARCH.has(verb) ? 'search' : verb === 'apply' ? 'edit' : 'bash';
}

function isInPlace(name: string, args: readonly string[]): boolean {
  if (name === 'sed' || name === 'gsed') {
    return args.some((arg) => /^(-[a-zA-Z]*i|--in-place)/.test(arg));
  }
  return (name === 'perl' || name === 'ruby') && args.some((arg) => /^-[a-z]*i/.test(arg));
}

function readPaths(words: readonly string[]): readonly string[] {
  const [first, ...args] = commandOf(words);
  const operands = args.filter((arg) => !/^([-+].*|\d*)$|[$`]/.test(arg));
  // The first operand of sed is its script.
  return nameOf(first) === 'sed' ? operands.slice(1) : operands;
}
