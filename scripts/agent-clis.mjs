// Installs the agent CLIs that the tests run, at fixed versions, into the cache and prints where they are:
// `node scripts/agent-clis.mjs [claude|codex|opencode …]`. What can't be had is one line
// `not run: <name>: <reason>`; the exit code is 0 all the same, because a registry is not always there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As in src/apps/image/base-recipe.ts; this script must work before anything is built. */
const PACKAGES = {
  claude: { name: '@anthropic-ai/claude-code', version: '2.1.332' },
  codex: { name: '@openai/codex', version: '0.171.0' },
  opencode: { name: 'opencode-ai', version: '1.18.33' },
};

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const ANSWER_TIMEOUT_MS = 60_000;

/** @returns for each name `{name, version, program}`, or `{name, version, reason}` where it can't be had */
export function agentClis(
  names = Object.keys(PACKAGES),
  env = process.env,
  note = () => undefined,
) {
  return names.map((name) => {
    const { version } = PACKAGES[name];
    try {
      return { name, version, program: ensure(name, env, note) };
    } catch (error) {
      return { name, version, reason: error.message };
    }
  });
}

function ensure(name, env, note) {
  const { version } = PACKAGES[name];
  const target = join(cacheDir(env), 'agent-clis', `${name}-${version}`);
  const program = join(target, 'bin', name);
  if (!existsSync(program)) {
    note(`installing ${PACKAGES[name].name}@${version}; this happens once`);
    install(name, target);
  }
  return program;
}

/** The folder appears whole, and only with a program that answers as the version asked for. */
function install(name, target) {
  const { name: packageName, version } = PACKAGES[name];
  mkdirSync(join(target, '..'), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(`${target}.`);
  try {
    const flags = [
      '--global',
      '--prefix',
      folder,
      '--no-fund',
      '--no-audit',
      '--loglevel',
      'error',
    ];
    run('npm', ['install', ...flags, `${packageName}@${version}`], INSTALL_TIMEOUT_MS);
    const said = run(join(folder, 'bin', name), ['--version'], ANSWER_TIMEOUT_MS, folder);
    if (!said.includes(version)) throw new Error(`it says it is ${said.trim()}`);
    publish(folder, target, name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Another process may have been faster: then its one is as good. */
function publish(folder, target, name) {
  try {
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(join(target, 'bin', name))) throw error;
  }
}

function run(program, args, timeout, home) {
  const env = home === undefined ? process.env : { PATH: process.env.PATH, HOME: home };
  const options = { encoding: 'utf8', env, timeout, stdio: ['ignore', 'pipe', 'pipe'] };
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, options);
  if (error !== undefined) throw new Error(`${program}: ${error.message}`);
  if (status === 0) return stdout;
  const lines = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== '');
  const said = lines.find((line) => /npm (ERR!|error)/.test(line)) ?? lines[0] ?? 'no reason given';
  throw new Error(`${said.trim()} (${signal ?? `exit ${status}`})`);
}

/** The same folder as src/support/paths.ts. */
function cacheDir(env) {
  if (env.LLMX_CACHE_DIR) return resolve(env.LLMX_CACHE_DIR);
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'llmx');
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'llmx');
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !Object.hasOwn(PACKAGES, name));
  if (unknown.length > 0) {
    console.error(`unknown: ${unknown.join(', ')} (${Object.keys(PACKAGES).join(', ')})`);
    process.exitCode = 2;
  } else {
    const found = agentClis(asked.length > 0 ? asked : undefined, process.env, console.error);
    for (const { name, version, program, reason } of found) {
      console.log(
        reason === undefined ? `${name} ${version} ${program}` : `not run: ${name}: ${reason}`,
      );
    }
  }
}
