// How fast a transcript is read: `node bench/transcript-reader.mjs [--mb 500] [--rounds 3] [--json]`. Needs a
// build. Beside it the least that reading can cost: the same file, a line at a time, through JSON.parse alone.
// Each reading is a process of its own, so that its memory is its own; the two take turns, so that a noisy
// machine disturbs both alike.
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { options, round, spread, table } from './support/figures.mjs';

const GOAL_RATIO = 2;
const GOAL_MB = 200;
const MB = 1_000_000;

const flags = options(process.argv.slice(2), { mb: 500, rounds: 3, json: false });
const READER = new URL('../dist/agents/claude/read-claude-transcript.js', import.meta.url).href;

/** What a child does with the file; it answers with milliseconds, its largest memory and what it counted. */
const PARSE_ALONE = `
  const { openSync, readSync } = await import('node:fs');
  const fd = openSync(file, 'r');
  const chunk = Buffer.allocUnsafe(256 * 1024);
  let rest = Buffer.alloc(0);
  for (;;) {
    const length = readSync(fd, chunk);
    if (length === 0) break;
    const bytes = rest.length === 0 ? chunk.subarray(0, length) : Buffer.concat([rest, chunk.subarray(0, length)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      if (JSON.parse(bytes.toString('utf8', start, end)).type !== undefined) events += 1;
      start = end + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }`;
const READ = `
  const { readClaudeTranscript } = await import(${JSON.stringify(READER)});
  const context = { targets: ['src/part-7.ts'], checkoutDir: '/work' };
  const { metrics } = await readClaudeTranscript(file, context);
  events = metrics.raw_events;`;

const folder = await mkdtemp(join(tmpdir(), 'llmx-bench-'));
try {
  const file = join(folder, 'transcript.jsonl');
  const events = writeTranscript(file, flags.mb * MB);
  const runs = { parse: [], read: [] };
  for (let at = 0; at < flags.rounds; at += 1) {
    runs.parse.push(await timed(PARSE_ALONE, file));
    runs.read.push(await timed(READ, file));
  }
  for (const run of [...runs.parse, ...runs.read]) {
    if (run.events !== events) throw new Error(`${run.events} of ${events} events were read`);
  }
  print(events, runs);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function print(events, { parse, read }) {
  const ms = (list) => spread(list.map((run) => run.ms));
  const mb = (list) => Math.max(...list.map((run) => run.rssBytes)) / MB;
  const report = {
    schemaVersion: 1,
    kind: 'transcriptReader',
    mb: flags.mb,
    events,
    ms: { parse: ms(parse), read: ms(read) },
    ratio: spread(read.map((run, at) => run.ms / parse[at].ms)),
    rssMb: { parse: mb(parse), read: mb(read) },
  };
  if (flags.json) {
    console.log(JSON.stringify(report, null, 2));
    return;
  }
  const row = (name, key) => {
    const { median, min } = report.ms[key];
    return [name, round(median, 0), round(min, 0), round(report.rssMb[key], 0)];
  };
  console.log(`${flags.mb} MB, ${events} events, ${flags.rounds} rounds\n`);
  console.log(
    table([
      ['', 'median ms', 'min ms', 'RSS MB'],
      row('JSON.parse', 'parse'),
      row('reader', 'read'),
    ]),
  );
  const { median, min } = report.ratio;
  console.log(`\nreader ÷ JSON.parse: ${round(median, 2)} (at best ${round(min, 2)})`);
  console.log(`goals: at most ${GOAL_RATIO}, and less than ${GOAL_MB} MB`);
}

/** Answers, calls and results in the proportions of a long run; most bytes are what tools answered. */
function writeTranscript(file, sizeBytes) {
  const fd = openSync(file, 'w');
  let written = 0;
  let count = 0;
  let lines = [];
  const write = (event) => {
    lines.push(JSON.stringify(event));
    count += 1;
  };
  write({
    type: 'system',
    subtype: 'init',
    cwd: '/work',
    model: 'model-a',
    mcp_servers: [],
    tools: [],
  });
  for (let turn = 0; written < sizeBytes; turn += 1) {
    writeTurn(write, turn);
    if (lines.length < 500) continue;
    written += writeSync(fd, `${lines.join('\n')}\n`);
    lines = [];
  }
  write({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', usage: usage(1) });
  writeSync(fd, `${lines.join('\n')}\n`);
  closeSync(fd);
  return count;
}

function writeTurn(write, turn) {
  const session_id = '1ccd17a5-6773-46fa-b611-64026cae5816';
  const id = `msg_${turn}`;
  const assistant = (content) =>
    write({
      type: 'assistant',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: 'model-a',
        content: [content],
        usage: usage(turn),
      },
      parent_tool_use_id: null,
      session_id,
    });
  assistant({ type: 'thinking', thinking: 'I have to look at the code first. '.repeat(12) });
  assistant({ type: 'text', text: `Step ${turn}: I look at the next file.` });
  const command = `cd /work && grep -rn "name ${turn}" src | head -20; cat src/part-${turn % 900}.ts`;
  assistant({ type: 'tool_use', id: `toolu_${turn}`, name: 'Bash', input: { command } });
  // From a line to 120 kB, as tools answer.
  const size = [1, 4, 40, 400, 1500][turn % 5];
  const output = `${turn}: export function part(value: string): string { return "\\u00e9\\t" + value; } // é\n`;
  write({
    type: 'user',
    message: {
      role: 'user',
      content: [
        { tool_use_id: `toolu_${turn}`, type: 'tool_result', content: output.repeat(size) },
      ],
    },
    parent_tool_use_id: null,
    session_id,
  });
}

function usage(turn) {
  return {
    input_tokens: turn % 97,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 9000,
    output_tokens: 1,
  };
}

function timed(body, file) {
  const program = `
    const file = ${JSON.stringify(file)};
    let events = 0;
    const start = performance.now();
    ${body}
    const ms = performance.now() - start;
    console.log(JSON.stringify({ ms, events, rssBytes: process.resourceUsage().maxRSS * 1024 }));`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.once('error', reject);
    child.once('close', (exit) => {
      if (exit === 0) resolve(JSON.parse(output));
      else reject(new Error(`a reading ended with ${exit}`));
    });
  });
}
