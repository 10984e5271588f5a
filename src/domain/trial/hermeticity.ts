/** Whether an agent started with nothing but what the trial gave it. */

/** What a CLI says about itself at the start of its transcript. */
export interface StartFacts {
  readonly cliVersion: string | null;
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
  /** Folders or files the CLI takes memories from, by the name it gives them. */
  readonly memoryPaths: Readonly<Record<string, string>>;
  /** Parts of a user's own set-up that were loaded, in words. */
  readonly userConfig: readonly string[];
}

export interface StartExpectations {
  /** Pinned version of the CLI, or null when any may run. */
  readonly cliVersion?: string | null;
  /** The trial's own home as the agent sees it; null: where memories lie is not looked at. */
  readonly homeDir?: string | null;
}

/** A server in such a state gave the agent nothing. */
const NOT_CONNECTED = new Set(['failed', 'disabled', 'needs-auth']);

/** What was not the trial's own, in words for a reader; null when there was nothing. */
export function contaminationOf(start: StartFacts, expected: StartExpectations): string | null {
  const { cliVersion = null, homeDir = null } = expected;
  const servers = start.mcpServers.filter(({ status }) => !NOT_CONNECTED.has(status));
  const memories = Object.values(start.memoryPaths).filter(
    (path) => homeDir !== null && !isInside(path, homeDir),
  );
  const isOtherVersion =
    cliVersion !== null && start.cliVersion !== null && !isVersion(start.cliVersion, cliVersion);
  const found = [
    ...servers.map(({ name, status }) => `MCP server ${name} (${status})`),
    ...memories.map((path) => `memories from ${path}`),
    ...start.userConfig,
    ...(isOtherVersion ? [`version ${start.cliVersion} and not ${cliVersion}`] : []),
  ];
  return found.length === 0 ? null : found.join(', ');
}

/** A pin may leave the end of a version out. */
function isVersion(version: string, pinned: string): boolean {
  return version === pinned || version.startsWith(`${pinned}.`);
}

function isInside(path: string, folder: string): boolean {
  const root = folder.replace(/\/+$/, '');
  return (path === root || path.startsWith(`${root}/`)) && !path.split('/').includes('..');
}
