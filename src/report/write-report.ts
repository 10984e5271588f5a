import { join } from 'node:path';
import { writeFileAtomic, writeJsonAtomic } from '../support/atomic-file.js';
import { reportMarkdown } from './markdown.js';
import type { RenderOptions } from './terminal.js';
import type { ReportModel } from './report-types.js';

/** Relative to the experiment folder. */
export const REPORT_FILES = { markdown: 'report/report.md', json: 'report/report.json' } as const;

/** Writes both files of the report, each whole or not at all, over those of an earlier one. */
export async function writeReport(
  experimentDir: string,
  model: ReportModel,
  options: RenderOptions = {},
): Promise<typeof REPORT_FILES> {
  await writeFileAtomic(join(experimentDir, REPORT_FILES.markdown), reportMarkdown(model, options));
  await writeJsonAtomic(join(experimentDir, REPORT_FILES.json), {
    schemaVersion: 1,
    kind: 'report',
    ...model,
  });
  return REPORT_FILES;
}

/** The report a person opens. */
export function reportFile(experimentDir: string): string {
  return join(experimentDir, REPORT_FILES.markdown);
}
