import { isLoginAgent, type LoginAgent } from '../../storage/auth/login-agent.js';
import { readRecord } from '../trial-files.js';

/** Which copy of which login a trial has. Holds no secret. */
export interface HandedOut {
  readonly schemaVersion: 1;
  readonly agent: LoginAgent;
  /** The auth store. */
  readonly root: string;
  /** Of the store's file at that moment. */
  readonly sha256: string;
}

/** Null when no login is out. */
export async function readHandedOut(recordFile: string): Promise<HandedOut | null> {
  const record = await readRecord(recordFile);
  const { agent, root, sha256 } = record ?? {};
  if (typeof agent !== 'string' || !isLoginAgent(agent)) return null;
  if (typeof root !== 'string' || typeof sha256 !== 'string') return null;
  return { schemaVersion: 1, agent, root, sha256 };
}
