// Finds or makes Temporal's time-skipping test server, which only the tests use, and prints its path.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '1.31.0';

/** Everything Maven needs to bring the server and what it depends on. */
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>llmx</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

/** The SDK passes the port as the only argument. */
const WRAPPER = `#!/bin/sh
exec java -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"
`;

/** @returns the absolute path of a program that serves on the port given as its argument */
export function ensureTestServer(env = process.env, note = (text) => console.error(text)) {
  const given = env.LLMX_TEST_SERVER_BIN;
  if (given) {
    if (!existsSync(given)) throw new Error(`LLMX_TEST_SERVER_BIN: ${given} does not exist`);
    return resolve(given);
  }
  const target = join(cacheDir(env), `test-server-${VERSION}`);
  const program = join(target, 'run.sh');
  demand('java', ['-version'], 'Java 11 or newer');
  if (!existsSync(program)) make(target, note);
  return program;
}

function make(target, note) {
  demand('mvn', ['--version'], 'Maven');
  note('fetching the time-skipping test server with Maven; this happens once');
  mkdirSync(join(target, '..'), { recursive: true });
  const folder = mkdtempSync(`${target}.`);
  try {
    writeFileSync(join(folder, 'pom.xml'), POM);
    const copy = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
    // Maven speaks on stdout, which is for the path alone.
    const { status } = spawnSync('mvn', copy, { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`Maven could not fetch the test server (exit ${status})`);
    writeFileSync(join(folder, 'run.sh'), WRAPPER, { mode: 0o755 });
    publish(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folder appears whole. Another process may have been faster: then its one is as good. */
function publish(folder, target) {
  try {
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(join(target, 'run.sh'))) throw error;
  }
}

function demand(program, args, what) {
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return;
  throw new Error(
    `the tests need Temporal's time-skipping test server, and ${what} to run it: ` +
      `install it, or set LLMX_TEST_SERVER_BIN to a program that starts the server`,
  );
}

/** The same folder as src/support/paths.ts; this script must work before anything is built. */
function cacheDir(env) {
  if (env.LLMX_CACHE_DIR) return resolve(env.LLMX_CACHE_DIR);
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'llmx');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'llmx');
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(ensureTestServer());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
