// Writes docs/errors.md from the built error table; `--check` only says whether it is up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_TABLE } from '../dist/errors/table.js';

const file = new URL('../docs/errors.md', import.meta.url);
const page = render(Object.entries(ERROR_TABLE));

if (!process.argv.includes('--check')) {
  writeFileSync(file, page);
} else if (readFileSync(file, 'utf8') !== page) {
  console.error('docs/errors.md is out of date: npm run docs');
  process.exitCode = 1;
}

function render(rows) {
  return `# Errors

Every error ends with what to type next. \`{name}\` stands for the value seen. This page is made from
\`src/errors/table/\` by \`npm run docs\`. Exit codes are explained in [cli.md](cli.md#exit-codes).

| code | exit | message | next |
|---|---|---|---|
${rows
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(
    ([code, { exitCode, message, hint }]) =>
      `| \`${code}\` | ${exitCode} | ${cell(message)} | ${next(hint)} |`,
  )
  .join('\n')}
`;
}

function next(hint) {
  if (hint === null) return '';
  return hint === '{hint}' ? 'said with the error: it depends on what was found' : cell(hint);
}

function cell(text) {
  return text.replaceAll('\n', '<br>').replaceAll('|', '\\|');
}
