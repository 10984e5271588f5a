import type { ReportModel } from './report-types.js';
import { reportTables, summaryLine } from './report-tables.js';
import { printable, renderTextTable } from './text-table.js';

export interface RenderOptions {
  /** Declared primary metrics, shown whatever they are. */
  readonly primary?: readonly string[];
}

/** The report for a terminal; `width` is its characters a line, @defaultValue no limit */
export function reportText(
  model: ReportModel,
  { primary = [], width = Infinity }: RenderOptions & { readonly width?: number } = {},
): string {
  const heading = model.experiment === null ? '' : `${printable(model.experiment)}: `;
  return [
    `${heading}${summaryLine(model)}`,
    ...reportTables(model, primary).map((table) => renderTextTable(table, width)),
  ].join('\n\n');
}
