// Runs the contract of the runtimes and prints it as a table, runtime × check: `npm run contract`.
// Needs a build. Exit code 1 when a check failed or could not be run.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MARKS = { passed: 'ok', failed: 'FAIL' };

const dir = mkdtempSync(join(tmpdir(), 'llmx-contract-table-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

async function main() {
  const factsFile = join(dir, 'facts.json');
  const reportFile = join(dir, 'report.json');
  const status = await runJest(factsFile, reportFile);
  const facts = read(factsFile);
  const report = read(reportFile);
  if (facts === null || report === null) {
    console.error(`the contract could not be run (jest ended with ${status})`);
    return 1;
  }
  const results = report.testResults.flatMap((file) => file.assertionResults);
  console.log(tableText(facts, results));
  const failed = results.filter((result) => result.status !== 'passed');
  for (const { fullName } of failed) console.log(`FAILED  ${fullName}`);
  console.log(`${results.length - failed.length} passed, ${failed.length} failed`);
  return status === 0 && failed.length === 0 ? 0 : 1;
}

function runJest(factsFile, reportFile) {
  const argv = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    'test/contract/runtimes/',
    '--selectProjects=contract',
    '--json',
    `--outputFile=${reportFile}`,
  ];
  return new Promise((resolve, reject) => {
    // Its progress and the reasons of failures go to the error output; the table alone is the result.
    const child = spawn(process.execPath, argv, {
      cwd: root,
      env: { ...process.env, LLMX_CONTRACT_FACTS: factsFile },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Null when it was not written, or not whole. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function tableText({ runtimes, checks }, results) {
  const tried = runtimes.filter(({ untried }) => untried === null);
  const untried = runtimes.filter((runtime) => runtime.untried !== null);
  const reasons = [];
  const rows = checks.map(({ name, notFor }) => [
    name,
    ...tried.map(({ kind, title }) => {
      if (notFor[kind] !== undefined) return `– ${numberOf(reasons, notFor[kind])}`;
      return markOf(results, title, name);
    }),
  ]);
  const lines = alignRows([['', ...tried.map(({ kind }) => kind)], ...rows]);
  const notes = reasons.map((reason, at) => `${at + 1}  not about it: ${reason}`);
  const missing = untried.map(({ kind, untried: reason }) => `${kind} was not tried: ${reason}`);
  return [...lines, '', ...notes, ...missing, ''].join('\n');
}

/** Number of the footnote with this text, which is added when there is none. */
function numberOf(reasons, reason) {
  if (!reasons.includes(reason)) reasons.push(reason);
  return reasons.indexOf(reason) + 1;
}

function markOf(results, title, name) {
  const result = results.find((each) => each.ancestorTitles[0] === title && each.title === name);
  return MARKS[result?.status] ?? 'not run';
}

function alignRows(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}
