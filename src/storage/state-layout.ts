import { join } from 'node:path';

/** Where everything of one user lives below the state folder. Folders 0700, files 0600. */
export interface StateLayout {
  readonly root: string;
  readonly hostIdFile: string;
  readonly serverFile: string;
  readonly databaseFile: string;
  readonly workerFile: string;
  readonly logsDir: string;
  /** `{folder, checkouts}` of an experiment: host paths that stay out of history. */
  experimentEntry(experimentKey: string): string;
  experimentsDir: string;
  frozenDir(experimentKey: string, frozenId: string): string;
  /** Names the plan that was frozen last. */
  latestFrozenFile(experimentKey: string): string;
  runListFile(experimentKey: string, runListId: string): string;
  /** Flattened app checkouts, one per content hash; each trial copies one. */
  templateDir(templateId: string): string;
  /** What is known of images that were built here. */
  readonly imagesDir: string;
  /** Says which image belongs to an input; see src/apps/image. */
  imageRecord(inputHash: string): string;
  readonly trialsDir: string;
  /** Working folder of one trial: spec, owner record, progress, sandbox. Removed when the trial is closed. */
  trialDir(trialHash: string): string;
}

export function stateLayout(root: string): StateLayout {
  const experiment = (key: string): string => join(root, 'experiments', key);
  return {
    root,
    hostIdFile: join(root, 'host-id'),
    serverFile: join(root, 'server.json'),
    databaseFile: join(root, 'temporal.db'),
    workerFile: join(root, 'worker.json'),
    logsDir: join(root, 'logs'),
    experimentsDir: join(root, 'experiments'),
    experimentEntry: (key) => join(experiment(key), 'entry.json'),
    frozenDir: (key, frozenId) => join(experiment(key), 'frozen', frozenId),
    latestFrozenFile: (key) => join(experiment(key), 'latest.json'),
    runListFile: (key, runListId) => join(experiment(key), 'runs', `${runListId}.json`),
    templateDir: (templateId) => join(root, 'templates', templateId),
    imagesDir: join(root, 'images'),
    imageRecord: (inputHash) => join(root, 'images', `${inputHash}.json`),
    trialsDir: join(root, 'trials'),
    trialDir: (trialHash) => join(root, 'trials', trialHash),
  };
}
