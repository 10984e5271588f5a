import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentClis, type AgentCliName } from '../../scripts/agent-clis.mjs';
import { BUGGY, FIX, addScript } from '../fixtures/trial/trial-lab.js';
import { startModel, type ModelServer } from '../fixtures/scripted-model.js';
import { agentGrid, attemptsOf, type Attempt } from './support/agent-grid.js';
import type { ContainerLab } from './support/container-lab.js';

jest.setTimeout(900_000);

/** What can't be had here is not tested; `npm test` says so at its end. */
const CLIS = agentClis().flatMap(({ name, reason }) => (reason === undefined ? [name] : []));

const AGENT_LINES: Readonly<Record<AgentCliName, string>> = {
  claude: '  claude:',
  codex: '  codex: { model: gpt-5.5 }',
  opencode: '  opencode: { model: scripted/test-model }',
};
const PATHS: Readonly<Record<AgentCliName, string>> = {
  claude: '/v1/messages',
  codex: '/v1/responses',
  opencode: '/v1/chat/completions',
};

/** Worn by the worker alone; nothing that a trial leaves may hold them. */
const KEYS = ['ANTHROPIC', 'OPENAI'].map((name) => ({
  name: `${name}_API_KEY`,
  value: `sk-llmx-${randomBytes(12).toString('hex')}`,
}));

const BUG = addScript(BUGGY).trim();
const LOOK = { text: 'I look first.', calls: [{ read: 'src/add.sh' }] };
const SNOOP = 'env; cat /proc/*/environ /proc/*/cmdline 2> /dev/null; ls -R "$HOME"';

/** Repairs the first task; does nothing but look about in the second. */
const WORK = {
  runs: [
    {
      name: 'fix',
      when: 'repair t1',
      turns: [
        { ...LOOK, tokens: { input: 1_100, cacheWrite: 0, output: 11 } },
        {
          calls: [{ edit: { file: 'src/add.sh', from: BUG, to: addScript(FIX).trim() } }],
          tokens: { input: 130, cacheRead: 1_000, output: 13 },
        },
        { text: 'It adds now.', tokens: { input: 170, cacheRead: 1_000, output: 17 } },
      ],
    },
    {
      name: 'miss',
      when: 'repair t2',
      turns: [
        { calls: [{ shell: SNOOP }], tokens: { input: 190, cacheRead: 1_000, output: 19 } },
        { text: 'All is well.', tokens: { input: 230, cacheRead: 1_000, output: 23 } },
      ],
    },
  ],
};
const SPENT = {
  t1: { input: 1_400, cached: 2_000, output: 41 },
  t2: { input: 420, cached: 2_000, output: 42 },
} as const;

interface GridResultJson {
  readonly ok: boolean;
  readonly ran: number;
  readonly passed: number;
  readonly failed: number;
}

describe('real agents', () => {
  const agents = CLIS;
  let model: ModelServer;
  let lab: ContainerLab;
  let result: GridResultJson;
  let seenInPs = '';
  let attempts: readonly Attempt[] = [];

  beforeAll(async () => {
    model = await startModel(WORK);
    lab = await makeGrid(model, agents, {
      conditions: ['plain', 'hinted'],
      prompts: { t1: 'Please repair t1', t2: 'Please repair t2' },
      timeoutSeconds: 240,
    });
    const watch = watchProcesses();
    const grid = await lab.cli('start-grid', '--wait', '--json', '--approve-yellow');
    seenInPs = watch.end();
    result = grid.json<GridResultJson>();
    attempts = await attemptsOf(lab.dir);
  });
  afterAll(async () => {
    await lab.end();
    await model.close();
  });

  it('fix the task that the model fixes, and not the other', () => {
    const half = agents.length * 2;
    expect(result).toMatchObject({ ok: true, ran: 2 * half, passed: half, failed: half });
    const outcomes = attempts.map(({ cell, meta }) => [cell, meta['status'], meta['passed']]);
    const expected = ['t1', 't2'].flatMap((task) =>
      agents.flatMap((agent) =>
        ['hinted', 'plain'].map((condition) => [
          `${task}/${agent}/${condition}`,
          'valid',
          task === 't1',
        ]),
      ),
    );
    expect(outcomes).toEqual(expected);
  });

  it('spend the tokens that the model counts, of the model asked for', async () => {
    for (const { cell, dir } of attempts) {
      const [task = '', agent = ''] = cell.split('/');
      const spent = spentOf(agent as AgentCliName, await eventsOf(dir));
      expect([cell, spent]).toEqual([cell, SPENT[task as keyof typeof SPENT]]);
    }
  });

  it('are of the pinned versions', () => {
    for (const { meta } of attempts) {
      const pins = meta['pins'] as Readonly<Record<string, string>>;
      const agent = String(meta['agent']);
      expect((meta['toolchain'] as typeof pins)[agent]).toBe(pins[agent]);
    }
  });

  it('ask nobody but the model, and only for their work', async () => {
    const requests = await model.requests();
    const asked = new Set(requests.map(({ method, path }) => `${method} ${path}`));
    expect([...asked].sort()).toEqual(agents.map((name) => `POST ${PATHS[name]}`).sort());
    // Three turns of the one task, two of the other, in two conditions.
    expect(requests.map(({ run }) => run)).toHaveLength(agents.length * 2 * 5);
    for (const { dir } of attempts) {
      // To the proxy that adds the key, and from there to the model.
      const connections = await linesOf<{ host: string; allowed: boolean }>(dir, 'egress.jsonl');
      expect(connections.length).toBeGreaterThan(0);
      for (const { host, allowed } of connections)
        expect([host, allowed]).toEqual(['127.0.0.1', true]);
      const forwarded = await linesOf<{ status: number }>(dir, 'model-requests.jsonl');
      expect(forwarded.map(({ status }) => status)).toEqual(forwarded.map(() => 200));
    }
  });

  it('never see a key, and leave none in results, process lists or history', async () => {
    const requests = await model.requests();
    expect(new Set(requests.flatMap(({ keyHeaders }) => keyHeaders)).size).toBeGreaterThan(0);
    const files = [...(await filesBelow(lab.dir)), ...(await filesBelow(lab.stateDir))];
    expect(files.some((file) => file.endsWith('temporal.db'))).toBe(true);
    expect(seenInPs).toContain('llmx-client');
    for (const { value } of KEYS) {
      expect(seenInPs).not.toContain(value);
      for (const file of files) {
        const hasKey = (await readFile(file)).includes(value);
        expect([file, hasKey]).toEqual([file, false]);
      }
    }
  });
});

/** The model fails in the way that the condition is named after. */
const FAULTS = {
  'key-refused': { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
  'model-missing': { status: 404, type: 'not_found_error', message: 'model: none of that name' },
  'quota-used-up': { quota: { resetsInSeconds: 3_600 } },
  'overloaded-twice': { status: 529, type: 'overloaded_error', message: 'Overloaded', times: 2 },
  'stream-cut': { cut: true },
  'no-answer': { hang: true },
} as const;
type Fault = keyof typeof FAULTS;

const FAILING = {
  runs: Object.entries(FAULTS).map(([name, fault]) => ({
    name,
    when: `(${name})`,
    turns: [{ text: 'There is nothing to do.', fault }],
  })),
};

/** How each of them ends by itself, or is ended, with the limits that its adapter sets. */
const ENDINGS: Readonly<
  Record<Fault, Readonly<Record<AgentCliName, Readonly<Record<string, unknown>>>>>
> = {
  'key-refused': same({ status: 'void', aborted: 'login', resume: 'stop-grid', agent_exit: 1 }),
  'model-missing': same({
    status: 'void',
    aborted: 'model_unavailable',
    resume: 'stop-arm',
    agent_exit: 1,
  }),
  'quota-used-up': {
    // With an API key it prints the status alone, which says nothing of a reset.
    claude: { status: 'void', aborted: 'overload', resume: 'retry', agent_exit: 1 },
    codex: { status: 'void', aborted: 'quota', resume: 'wait', agent_exit: 1 },
    // It would sleep until the quota is back.
    opencode: { status: 'void', aborted: 'quota', agent_stalled: true, timed_out: false },
  },
  'overloaded-twice': same({ status: 'valid', passed: false, agent_exit: 0 }),
  'stream-cut': same({ status: 'void', aborted: 'network', agent_exit: 1, timed_out: false }),
  'no-answer': same({ status: 'void', timed_out: true }),
};

function same(end: Readonly<Record<string, unknown>>): (typeof ENDINGS)[Fault] {
  return { claude: end, codex: end, opencode: end };
}

describe.each([
  // opencode tries for more than a minute after a cut, and is given as long to get over a limit.
  {
    faults: (Object.keys(FAULTS) as Fault[]).filter((name) => name !== 'no-answer'),
    timeoutSeconds: 150,
  },
  { faults: ['no-answer'] as const, timeoutSeconds: 30 },
])('when the model fails: $faults', ({ faults, timeoutSeconds }) => {
  let model: ModelServer;
  let lab: ContainerLab;
  let attempts: readonly Attempt[] = [];

  beforeAll(async () => {
    model = await startModel(FAILING);
    lab = await makeGrid(model, CLIS, {
      conditions: faults,
      prompts: { t1: 'Repair' },
      timeoutSeconds,
    });
    // One by one: a grid would wait for the quota, for a person to log in, and stop arms.
    for (const fault of faults) {
      for (const agent of CLIS) await lab.cli('run-trial', 't1', agent, fault, '--json');
    }
    attempts = await attemptsOf(lab.dir);
  });
  afterAll(async () => {
    await lab.end();
    await model.close();
  });

  it.each(faults.flatMap((fault) => CLIS.map((agent) => ({ fault, agent }))))(
    '$agent at $fault ends as it should',
    ({ fault, agent }) => {
      const own = attempts.filter(({ cell }) => cell === `t1/${agent}/${fault}`);
      expect(own).toHaveLength(1);
      expect(own[0]?.meta).toMatchObject(ENDINGS[fault][agent]);
    },
  );

  it('leaves no container and asks nobody else', async () => {
    expect(await lab.containers()).toEqual([]);
    const known = CLIS.map((name) => PATHS[name]);
    for (const { path } of await model.requests()) expect(known).toContain(path);
  });
});

async function makeGrid(
  model: ModelServer,
  agents: readonly AgentCliName[],
  more: Pick<Parameters<typeof agentGrid>[0], 'conditions' | 'prompts' | 'timeoutSeconds'>,
): Promise<ContainerLab> {
  return agentGrid({
    ...more,
    agents: agents.map((name) => AGENT_LINES[name]).join('\n'),
    env: {
      ...Object.fromEntries(KEYS.map(({ name, value }) => [name, value])),
      ANTHROPIC_BASE_URL: model.url,
      OPENAI_BASE_URL: `${model.url}/v1`,
    },
  });
}

type Event = Readonly<Record<string, ReturnType<typeof JSON.parse>>>;

function eventsOf(dir: string): Promise<readonly Event[]> {
  return linesOf<Event>(dir, 'transcript.jsonl');
}

async function linesOf<T>(dir: string, name: string): Promise<readonly T[]> {
  const text = await readFile(join(dir, name), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** By the rule of each CLI, from its own events: input without what came from the cache. */
function spentOf(agent: AgentCliName, events: readonly Event[]): Readonly<Record<string, number>> {
  if (agent === 'claude') {
    const usage = events.find(({ type }) => type === 'result')?.['usage'];
    return {
      input: usage.input_tokens,
      cached: usage.cache_read_input_tokens,
      output: usage.output_tokens,
    };
  }
  if (agent === 'codex') {
    const usage = events.find(({ type }) => type === 'turn.completed')?.['usage'];
    const cached = usage.cached_input_tokens;
    return { input: usage.input_tokens - cached, cached, output: usage.output_tokens };
  }
  const steps = events.filter(({ type }) => type === 'step_finish');
  const sum = (of: (tokens: Event) => number): number =>
    steps.reduce((total, step) => total + of(step['part'].tokens), 0);
  return {
    input: sum(({ input }) => input),
    cached: sum(({ cache }) => cache.read),
    output: sum(({ output }) => output),
  };
}

/** Command lines of all processes, looked at again and again until told to end. */
function watchProcesses(): { end(): string } {
  const seen = new Set<string>();
  const look = (): void => {
    const text = execFileSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' });
    for (const line of text.split('\n')) seen.add(line);
  };
  const timer = setInterval(look, 500);
  return {
    end: () => {
      clearInterval(timer);
      look();
      return [...seen].join('\n');
    },
  };
}

async function filesBelow(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
