// An experiment of nop cells on a small app, in a folder and with a state folder of its own.
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLIENT = fileURLToPath(new URL('../../bin/llmx-client.js', import.meta.url));
const FILES = 20;
const CONDITIONS = ['c1', 'c2'];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The test costs next to nothing: what is measured is everything around it. */
const TEST = 'echo "1 example, 1 failure"\nexit 1\n';

/**
 * Cells: tasks × agents × repeats × 2 conditions.
 * @param {{ tasks?: number, agents?: number, repeats: number }} shape
 */
export async function makeLab({ tasks = 1, agents = 1, repeats }) {
  const taskIds = numbered('bug', tasks);
  const root = await mkdtemp(join(tmpdir(), 'llmx-bench-'));
  const dir = join(root, 'experiment');
  const stateDir = join(root, 'state');
  const samplesFile = join(root, 'samples.jsonl');
  const env = {
    ...process.env,
    LLMX_STATE_DIR: stateDir,
    LLMX_BENCH_SAMPLES: samplesFile,
  };
  await makeApp(join(dir, 'app'), taskIds);
  const text = experimentText(taskIds, numbered('nop', agents), repeats);
  await writeFile(join(dir, 'experiment.yml'), text);
  await writeFile(join(dir, '.apps.local'), 'LLMX_APP_APP=./app\n');
  for (const task of taskIds) {
    const prompts = join(dir, 'prompts', 'app', task);
    await mkdir(prompts, { recursive: true });
    for (const condition of CONDITIONS) {
      await writeFile(join(prompts, `${condition}.txt`), 'Please fix it.\n');
    }
  }
  const cli = async (...argv) => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, ...argv], {
      cwd: dir,
      env,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return JSON.parse(stdout);
  };
  return {
    root,
    dir,
    stateDir,
    env,
    /** Where a worker with stub trials writes what it needs. */
    samplesFile,
    cli,
    /** Every cell is pending again. */
    forgetResults: () => rm(join(dir, 'results-raw'), { recursive: true, force: true }),
    async end() {
      await cli('worker', 'stop', '--json');
      await cli('server', 'stop', '--json');
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function makeApp(app, taskIds) {
  await mkdir(join(app, 'src'), { recursive: true });
  for (let file = 1; file <= FILES; file += 1) {
    await writeFile(join(app, 'src', `part${file}.txt`), `part ${file}\n`.repeat(50));
  }
  await writeFile(join(app, 'test.sh'), TEST);
  const settings = ['user.name=b', 'user.email=b@localhost', 'commit.gpgSign=false', 'gc.auto=0'];
  const git = (...args) =>
    execFileSync('git', [...settings.flatMap((setting) => ['-c', setting]), ...args], { cwd: app });
  git('init', '--quiet', '--template=');
  git('symbolic-ref', 'HEAD', 'refs/heads/bench/base');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'app');
  for (const task of taskIds) git('branch', `bench/${task}`);
}

function experimentText(taskIds, agents, repeats) {
  const tasks = taskIds.map(
    (id) => `  - id: ${id}
    app: app
    test_file: test.sh
    impl_files: [src/part1.txt]
`,
  );
  return `name: bench
runtime: process
agents: { ${agents.map((name) => `${name}: { kind: nop }`).join(', ')} }
conditions: [${CONDITIONS.join(', ')}]
repeats: ${repeats}
apps:
  app:
    toolchain: none
    branch_prefix: bench
    test_command: sh
    suite_ran_pattern: '[1-9] example'
tasks:
${tasks.join('')}`;
}

function numbered(name, count) {
  return Array.from({ length: count }, (_, at) => `${name}${at + 1}`);
}
