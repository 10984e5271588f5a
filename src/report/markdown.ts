import type { RenderOptions } from './terminal.js';
import type { ReportModel } from './report-types.js';
import { reportTables, summaryLine } from './report-tables.js';
import { printable, type Table } from './text-table.js';

/** The report as Markdown (tables as GitHub renders them), with a final newline. */
export function reportMarkdown(model: ReportModel, { primary = [] }: RenderOptions = {}): string {
  const sections = [
    `# ${escaped(model.experiment ?? 'Results')}`,
    `${summaryLine(model)}.`,
    ...reportTables(model, primary).map(markdownTable),
  ];
  return `${sections.join('\n\n')}\n`;
}

function markdownTable({ title, columns, rows }: Table): string {
  const rule = columns.map((column) => (column.align === 'right' ? '---:' : '---'));
  const header = columns.map((column) => escaped(column.header));
  const body = rows.map((row) => row.map(escaped));
  const lines = [header, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`);
  return [`## ${title}`, '', ...lines].join('\n');
}

/** Names come from files: nothing in them may become markup or break a row. */
function escaped(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>|#~&]/g, (mark) => `\\${mark}`);
}
