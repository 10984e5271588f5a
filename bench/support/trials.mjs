// Trials with claims, supervisor and records, but without Temporal.
import { stateLayout } from '../../dist/storage/state-layout.js';
import { ENGINE_VERSION } from '../../dist/support/version.js';
import { PROGRAM_FILE, SUPERVISOR_FILE } from '../../dist/trial/bundles.js';
import { createTrialService } from '../../dist/trial/trial-service.js';

/** @param {string} hostLock of its own, so that trials of other people on the host are not waited for */
export function directTrials(lab, plan, hostLock) {
  const service = createTrialService({
    state: stateLayout(lab.stateDir),
    programFile: PROGRAM_FILE,
    supervisorFile: SUPERVISOR_FILE,
    engineVersion: ENGINE_VERSION,
    hostLock,
  });
  return {
    /** @returns milliseconds from one start to the next */
    async run(cell, requestId) {
      const start = performance.now();
      const stamp = new Date()
        .toISOString()
        .replace(/\.\d+Z$/, 'Z')
        .replace(/[-:]/g, '');
      const input = {
        plan,
        cell,
        stamp,
        requestId,
        redoDone: false,
        // As of a grid, which has looked at the images before.
        workflowId: 'bench',
        runId: 'bench',
      };
      const { status, error } = await service.run(input);
      if (status !== 'valid') throw new Error(`a trial ended as ${status}: ${error}`);
      return performance.now() - start;
    },
  };
}
