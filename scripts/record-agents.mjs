// Makes test/fixtures/recordings again, with the real CLIs on the scripted model (after `npm run build`):
//
//   unshare --net --map-root-user sh -c 'ip link set lo up; exec node scripts/record-agents.mjs'
//
// Without the namespace it works as well, but then nothing but its own settings keeps a CLI from the network.
// What is written is a CLI's standard output, with the folders of this machine named /workspace and /home/agent.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keyApiOf, proxiedEnv } from '../dist/agents/key-apis.js';
import { adapterOf } from '../dist/agents/registry.js';
import { readScenario } from '../test/fixtures/model-server/scenario.mjs';
import { startModelServer } from '../test/fixtures/model-server/server.mjs';
import { agentClis } from './agent-clis.mjs';

const FOLDER = fileURLToPath(new URL('../test/fixtures/recordings/', import.meta.url));
const MODELS = { claude: null, codex: 'gpt-5.5', opencode: 'scripted/test-model' };
const TIMEOUT_MS = 180_000;
/** Opens nothing: the scripted model asks for no key. */
const TOKEN = 'llmx-a-token-of-the-proxy';

const runs = readScenario(readFileSync(join(FOLDER, 'scenario.json'), 'utf8'));
const model = await startModelServer({ runs, port: 0, logFile: null });
/** claude adds the version itself. */
const baseUrlOf = (kind) => (kind === 'claude' ? model.url : `${model.url}/v1`);
const endings = {};
for (const { name, program, reason } of agentClis(undefined, process.env, console.error)) {
  if (program === undefined) {
    console.log(`not run: ${name}: ${reason}`);
    continue;
  }
  // At a quota it sleeps until the quota is back.
  for (const run of runs.filter((one) => name !== 'opencode' || one.name !== 'quota-used-up')) {
    const file = `${name}-${run.name}.jsonl`;
    const { stdout, exit } = await record(name, program, run);
    writeFileSync(join(FOLDER, file), stdout);
    endings[file] = { exit };
    console.log(`${file}: exit ${exit}, ${stdout.split('\n').length - 1} events`);
  }
}
await model.close();
writeFileSync(join(FOLDER, 'endings.json'), `${JSON.stringify(endings, null, 2)}\n`);

async function record(kind, program, run) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'llmx-record-')));
  const [home, workspace, tmp] = ['home', 'workspace', 'tmp'].map((name) => join(root, name));
  for (const folder of [home, workspace, tmp]) mkdirSync(folder);
  writeFileSync(join(workspace, 'sum.sh'), 'echo $(($1 - $2))\n');
  spawnSync('git', ['init', '-q', workspace]);
  writeFileSync(join(root, 'prompt.txt'), `${run.when}\n`);
  const api = keyApiOf({ kind, model: MODELS[kind] ?? null }, { OPENAI_BASE_URL: model.url });
  try {
    const { launch, settings = [] } = adapterOf({ name: kind, kind }).launch({
      agent: { name: kind, kind, model: MODELS[kind], argv: null },
      experimentDir: root,
      promptFile: join(root, 'prompt.txt'),
      solutionFile: null,
      inputsDir: root,
      checkoutDir: workspace,
      model: api === null ? null : { provider: api.provider, baseUrl: baseUrlOf(kind), key: TOKEN },
      hasWeb: false,
      isContained: false,
      env: {
        PATH: `${dirname(program)}:${process.env.PATH}`,
        HOME: home,
        TMPDIR: tmp,
        LANG: 'C.UTF-8',
        ...(api === null ? {} : proxiedEnv(api, baseUrlOf(kind), TOKEN)),
      },
    });
    for (const { path, text } of settings) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const { stdout, exit } = await runLaunch(
      launch,
      workspace,
      readFileSync(join(root, 'prompt.txt')),
    );
    const named = stdout
      .replaceAll(workspace, '/workspace')
      .replaceAll(workspace.replace(/\W/g, '-'), '-workspace') // as claude names a folder of its own after it
      .replaceAll(home, '/home/agent')
      .replaceAll(root, '/sandbox')
      .replaceAll(model.url, 'http://127.0.0.1:8080');
    return { exit, stdout: named };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The server is in this process, so the CLI must not hold it up. */
function runLaunch({ argv, env }, cwd, prompt) {
  const [program, ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      timeout: TIMEOUT_MS,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve({ stdout, exit: exit ?? signal }));
    child.stdin.end(prompt);
  });
}
