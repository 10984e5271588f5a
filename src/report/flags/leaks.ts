import type { StoredRecord } from './stored-record.js';

/** What the records say the agent could see or use beside the task, one phrase each; none when clean. */
export function leaksOf(record: StoredRecord): readonly string[] {
  const history = record['history_visible_to_agent'];
  const commits = typeof history === 'string' ? lines(history) : texts(history);
  const branches = texts(record['branches_visible_to_agent']);
  const servers = names(record['mcp_servers']);
  const memory = outsideOf(record);
  return [
    ...(commits.length > 1 ? [`${commits.length} commits were visible`] : []),
    ...(branches.length > 1 ? [`${branches.length} branches were visible`] : []),
    ...(servers.length > 0 ? [`connected to ${servers.join(', ')} (MCP)`] : []),
    ...(memory.length > 0 ? [`memory outside of the trial: ${memory.join(', ')}`] : []),
    ...(record['clean_tree_before'] === false ? ['the checkout was not clean at the start'] : []),
    ...(isPositive(record['unparsable_lines']) ? ['lines of the transcript are unreadable'] : []),
  ];
}

/** Memory folders that don't lie where this trial's own settings are. */
function outsideOf({ memory_paths: paths, config_dir: own }: StoredRecord): readonly string[] {
  if (typeof paths !== 'object' || paths === null || typeof own !== 'string') return [];
  return Object.values(paths).filter(
    (path): path is string =>
      typeof path === 'string' && path !== own && !path.startsWith(`${own.replace(/\/$/, '')}/`),
  );
}

/** Servers are listed by name, or as objects with one. */
function names(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry: unknown) => {
    if (typeof entry === 'string') return entry;
    const name = typeof entry === 'object' && entry !== null ? (entry as StoredRecord)['name'] : '';
    return typeof name === 'string' && name !== '' ? name : 'a server without name';
  });
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}
