import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { trialFiles } from './trial-files.js';
import type { TrialHost } from './trial-request.js';

/** The supervisor as its starter sees it; everybody else looks at the owner record. */
export interface Starter {
  /** It ended, or could not be started at all. */
  readonly exited: boolean;
  onExit(listener: () => void): void;
}

/** Starts a supervisor that outlives this process: own session, nothing shared but the log file. */
export function startSupervisor(trialDir: string, host: TrialHost): Starter {
  const log = openSync(trialFiles(trialDir).log, 'a', 0o600);
  try {
    const child = spawn(process.execPath, [host.supervisorFile, trialDir], {
      detached: true,
      cwd: host.layout.root,
      env: host.supervisorEnv,
      stdio: ['ignore', log, log],
    });
    child.unref();
    let exited = false;
    const end = new Promise<void>((resolve) => {
      const finish = (): void => {
        exited = true;
        resolve();
      };
      child.once('exit', finish);
      child.once('error', finish);
    });
    return {
      get exited() {
        return exited;
      },
      onExit: (listener) => void end.then(listener),
    };
  } finally {
    closeSync(log);
  }
}
