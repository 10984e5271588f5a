import type { SandboxStage, TrialMarker } from '../runtime.js';

/** Labels of all that llmx makes in an engine: the state folder tells ours from another installation's. */
export const TRIAL_LABEL = 'dev.llmx.trial';
export const STATE_LABEL = 'dev.llmx.state';
const GRID_LABEL = 'dev.llmx.grid';

export function containerName({ trialHash }: TrialMarker, stage: SandboxStage): string {
  return `llmx-${trialHash}${stage === 'grade' ? '-grade' : ''}`;
}

export function containerLabels(
  marker: TrialMarker,
  grid: string | null,
): Readonly<Record<string, string>> {
  return {
    [TRIAL_LABEL]: marker.trialHash,
    [STATE_LABEL]: marker.stateId,
    ...(grid === null ? {} : { [GRID_LABEL]: grid }),
  };
}
