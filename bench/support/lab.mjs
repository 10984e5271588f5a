// An experiment of nop cells on a small app, in a folder and with a state folder of its own.
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLIENT = fileURLToPath(new URL('../../bin/llmx-client.js', import.meta.url));
const FILES = 20;
const TASK = 'bug';
const CONDITIONS = 2;

/** The test costs next to nothing: what is measured is everything around it. */
const TEST = 'echo "1 example, 1 failure"\nexit 1\n';

/** @param {number} cells even */
export async function makeLab(cells) {
  const root = await mkdtemp(join(tmpdir(), 'llmx-bench-'));
  const dir = join(root, 'experiment');
  const stateDir = join(root, 'state');
  await makeApp(join(dir, 'app'));
  const prompts = join(dir, 'prompts', 'app', TASK);
  await mkdir(prompts, { recursive: true });
  await writeFile(join(dir, 'experiment.yml'), experimentText(cells / CONDITIONS));
  await writeFile(join(dir, '.apps.local'), 'LLMX_APP_APP=./app\n');
  for (let condition = 1; condition <= CONDITIONS; condition += 1) {
    await writeFile(join(prompts, `c${condition}.txt`), 'Please fix it.\n');
  }
  const cli = async (...argv) => {
    const env = { ...process.env, LLMX_STATE_DIR: stateDir };
    const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, ...argv], {
      cwd: dir,
      env,
    });
    return JSON.parse(stdout);
  };
  return {
    root,
    dir,
    stateDir,
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

async function makeApp(app) {
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
  git('branch', `bench/${TASK}`);
}

function experimentText(repeats) {
  const conditions = Array.from({ length: CONDITIONS }, (_, at) => `c${at + 1}`);
  return `name: bench
runtime: process
agents: { nop: }
conditions: [${conditions.join(', ')}]
repeats: ${repeats}
apps:
  app:
    toolchain: none
    branch_prefix: bench
    test_command: sh
    suite_ran_pattern: '[1-9] example'
tasks:
  - id: ${TASK}
    app: app
    test_file: test.sh
    impl_files: [src/part1.txt]
`;
}
