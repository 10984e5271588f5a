// Records the histories that test/replay replays: `node scripts/record-histories.mjs` after a build, once
// per released version. A finished history is never recorded again: it stands for grids of that version.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'llmx-record-'));
const dir = join(work, 'quickstart');
const stateDir = join(work, 'state');
const target = join(root, 'test', 'replay', 'histories');

function node(argv) {
  const env = { ...process.env, LLMX_STATE_DIR: stateDir };
  const { stdout } = spawnSync(process.execPath, argv, { cwd: dir, env, encoding: 'utf8' });
  return stdout;
}

const cli = (...argv) => node([join(root, 'bin', 'llmx-client.js'), ...argv]);

cpSync(join(root, 'examples', 'quickstart'), dir, {
  recursive: true,
  filter: (path) => !/\/(app|results-raw|report|\.apps\.local)$/.test(path),
});
node(['make-app.mjs', dir]);
mkdirSync(target, { recursive: true });

try {
  const green = JSON.parse(cli('start-grid', '--wait', '--json')).workflowId;
  await save(green, 'grid-green');

  rmSync(join(dir, 'prompts', 'ledger', 'month-border', 'hinted.txt'));
  const flags = ['--wait', '--json', '--redo-done', '--agent', 'nop'];
  const yellow = JSON.parse(cli('start-grid', ...flags)).workflowId;
  cli('approve', yellow, '--reason', 'recorded');
  cli('start-grid', '--wait', '--json', '--agent', 'nop');
  await save(yellow, 'grid-yellow-approved');
  await save(yellow.replace('llmx-grid-', 'llmx-preflight-'), 'preflight-yellow-approved');
} finally {
  cli('worker', 'stop');
  cli('server', 'stop');
  rmSync(work, { recursive: true, force: true });
}

async function save(workflowId, name) {
  const { address } = JSON.parse(cli('server', 'status', '--json'));
  const { Client, Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ address });
  try {
    const handle = new Client({ connection }).workflow.getHandle(workflowId);
    await handle.result();
    const json = historyToJSON(await handle.fetchHistory());
    const file = join(target, `${name}.${version}.json`);
    writeFileSync(file, `${JSON.stringify(JSON.parse(json), null, 1)}\n`);
    console.log(file);
  } finally {
    await connection.close();
  }
}
