import type { Check, Verdict } from './check.js';

/** The checks as a Markdown table, for the Web UI's current details. */
export function checksAsMarkdown(verdict: Verdict, checks: readonly Check[]): string {
  const rows = checks.map(
    (check) =>
      `| ${check.status} | ${cell(check.name)} | ${cell(check.detail)} | ${cell(check.hint ?? '')} |`,
  );
  return [`**${verdict}**`, '', '| | check | detail | next |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');
}
