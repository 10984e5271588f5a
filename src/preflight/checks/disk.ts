import { join } from 'node:path';
import type { Check } from '../../domain/preflight/check.js';
import { RESULTS_FOLDER } from '../../storage/results-fault.js';
import { freeGb } from '../../support/free-disk.js';
import type { CheckContext } from '../context.js';

/** Default of `preflight.min_free_gb` outside an experiment. */
const DEFAULT_MIN_FREE_GB = 2;

/** Trials need room for their sandbox (state folder) and for their results. */
export async function diskCheck(context: CheckContext): Promise<Check> {
  const needGb = context.subject?.experiment.preflight.minFreeGb ?? DEFAULT_MIN_FREE_GB;
  const places = [context.stateDir, ...resultPlaces(context)];
  const free = Math.min(...(await Promise.all(places.map((place) => freeGb(place)))));
  const detail = `${free.toFixed(1)} GB free, ${needGb} GB needed`;
  const base = { code: 'disk', name: 'disk space', detail } as const;
  return free >= needGb
    ? { ...base, status: 'ok', hint: null }
    : { ...base, status: 'fail', hint: 'free some space, then: llmx-client doctor' };
}

/** The results may lie on a disk of their own. */
function resultPlaces({ subject }: CheckContext): readonly string[] {
  return subject === null ? [] : [subject.folder, join(subject.folder, RESULTS_FOLDER)];
}
