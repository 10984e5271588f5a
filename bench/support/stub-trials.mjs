// A trial service that answers at once: the looks, the claim and the records of a trial, and no sandbox.
import { join } from 'node:path';
import { frozenPlanReader } from '../../dist/storage/frozen-plan-reader.js';
import { readExperimentEntry } from '../../dist/storage/experiment-entry.js';
import { cellDir, countedAttempts } from '../../dist/storage/results-tree.js';
import { ownIdentity } from '../../dist/support/process-identity.js';
import { ENGINE_VERSION } from '../../dist/support/version.js';
import { makeAttemptFolder } from '../../dist/trial/attach-or-start.js';
import { closeAttempt } from '../../dist/trial/attempt-records.js';
import { PROGRAM_FILE, SUPERVISOR_FILE } from '../../dist/trial/bundles.js';
import { attemptOf, createClaim, readClaims } from '../../dist/trial/claims.js';
import { stateIdOf, trialHashOf, trialIdOf } from '../../dist/trial/ids.js';
import { trialRequest } from '../../dist/trial/plan-request.js';
import { trialResult } from '../../dist/trial/trial-result.js';
import { createTrialService } from '../../dist/trial/trial-service.js';

/** @param {(cells: number) => void} onTrial called with the number of trials that were asked for */
export function stubTrials(state, onTrial) {
  const options = {
    state,
    programFile: PROGRAM_FILE,
    supervisorFile: SUPERVISOR_FILE,
    engineVersion: ENGINE_VERSION,
  };
  const openPlan = frozenPlanReader(state);
  let asked = 0;
  return {
    ...createTrialService(options),
    async run(input) {
      const entry = await readExperimentEntry(state, input.plan.experimentKey);
      const plan = { ...(await openPlan(input.plan)), entry };
      const request = await trialRequest(plan, input, options);
      const answer = await answerOf(request, stateIdOf(state.root));
      onTrial((asked += 1));
      return trialResult(answer, '');
    },
  };
}

/** The order is that of attachOrStart. */
async function answerOf(request, stateId) {
  const { cell, experimentDir, requestId } = request;
  const dir = cellDir(experimentDir, cell);
  const claims = await readClaims(dir);
  const own = claims.all.find(({ claim }) => claim.requestId === requestId);
  if (own !== undefined) return { kind: 'record', attempt: own.attempt };
  if ((await countedAttempts(dir)) >= cell.repeat) return { kind: 'already-done' };
  await request.prepare();
  const { stamp } = await makeAttemptFolder(dir, request.stamp, new Set());
  const claim = {
    schemaVersion: 1,
    n: claims.next,
    stamp,
    requestId,
    trialHash: trialHashOf(trialIdOf(request.experimentKey, cell, stamp)),
    stateId,
    repeat: cell.repeat,
    createdAt: new Date().toISOString(),
    claimant: ownIdentity(),
  };
  if (!(await createClaim(dir, claim))) throw new Error('somebody else works on this cell');
  await closeAttempt(join(dir, stamp), experimentDir, attemptFacts(request, stamp));
  return { kind: 'record', attempt: await attemptOf(dir, claim) };
}

function attemptFacts({ facts, cell }, stamp) {
  const now = new Date().toISOString();
  const passed = cell.index % 3 !== 0;
  return {
    facts: { ...facts, repeat: cell.repeat, stamp },
    classification: {
      status: 'valid',
      passed,
      reason: null,
      detail: null,
      loud: false,
    },
    result: null,
    reading: {
      metrics: {
        output_tokens: 1_000 + (cell.index % 97),
        api_calls: 10 + (cell.index % 7),
        total_cost_usd: 0.01,
      },
      answer: null,
      modelReported: null,
    },
    startedAt: now,
    finishedAt: now,
    hostWallSeconds: 0.1,
    toolchain: {},
    host: {},
    imageId: null,
    proof: 'best-effort',
    leftoversKilled: 0,
    leftoversBefore: 0,
    agentOom: false,
  };
}
