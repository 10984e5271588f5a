import { realpathSync } from 'node:fs';
import { sha256 } from '../support/hash.js';

/** Names a state folder without saying where it is. The folder must exist. */
export function stateIdOf(stateRoot: string): string {
  return sha256(realpathSync(stateRoot)).slice(0, 12);
}
