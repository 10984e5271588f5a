export type AgentCliName = 'claude' | 'codex' | 'opencode';

/** An agent CLI of the tests: its program, or the reason why there is none. */
export interface AgentCliHere {
  readonly name: AgentCliName;
  readonly version: string;
  /** Absolute path. */
  readonly program?: string;
  readonly reason?: string;
}

/** Installs what is missing into the cache; see agent-clis.mjs. */
export function agentClis(
  names?: readonly AgentCliName[],
  env?: Readonly<Record<string, string | undefined>>,
  note?: (text: string) => void,
): readonly AgentCliHere[];
