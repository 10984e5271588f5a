// The trial program alone: what a loop without Temporal, supervisor, claims and records would run.
import { spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseEnv } from '../../dist/runtimes/base-env.js';
import { sandboxPaths } from '../../dist/runtimes/sandbox-paths.js';
import { PROGRAM_FILE } from '../../dist/trial/bundles.js';
import { copyTemplate } from '../../dist/apps/template/copy-template.js';
import { TRIAL_PHASES } from '../../dist/domain/trial/program-contract.js';

/**
 * One nop trial: template copied, program run. Removing the folder is not part of the time.
 * @returns milliseconds: `total`, `copy`, `program`, and `phases` as the program itself saw them
 */
export async function bareTrial(root, templateDir) {
  const paths = sandboxPaths(join(root, 'bare'));
  const start = performance.now();
  await mkdir(paths.root, { mode: 0o700 });
  await Promise.all([paths.home, paths.out, paths.inputs, paths.tmp].map((dir) => mkdir(dir)));
  const program = join(paths.inputs, 'program.mjs');
  const specFile = join(paths.inputs, 'program.json');
  const env = { ...baseEnv(process.env), HOME: paths.home, TMPDIR: paths.tmp };
  await Promise.all([
    copyTemplate(templateDir, paths.checkout),
    copyFile(PROGRAM_FILE, program),
    writeFile(specFile, JSON.stringify(specOf(paths, env))),
  ]);
  const copied = performance.now();
  const exit = await run([program, specFile], { cwd: paths.root, env });
  const end = performance.now();
  const result = JSON.parse(await readFile(join(paths.out, 'program-result.json'), 'utf8'));
  if (exit !== 0 || result.grade !== 'failed') throw new Error(JSON.stringify(result));
  await rm(paths.root, { recursive: true, force: true });
  return {
    total: end - start,
    copy: copied - start,
    program: end - copied,
    phases: result.phaseMs,
  };
}

function specOf(paths, env) {
  return {
    schemaVersion: 1,
    phases: TRIAL_PHASES,
    branch: 'trial/bug',
    checkoutDir: paths.checkout,
    gradeDir: paths.grade,
    outDir: paths.out,
    neutralize: [],
    dbPrepare: null,
    testCommand: 'sh',
    testFile: 'test.sh',
    implFiles: ['src/part1.txt'],
    suiteRanPattern: '[1-9] example',
    suiteRanFlags: 'm',
    env,
    agent: { argv: null, env, stdinFile: null },
    agentTimeoutMs: 60_000,
    testTimeoutMs: 60_000,
    killGraceMs: 1_000,
  };
}

function run(args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
