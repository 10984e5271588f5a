import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startModel, type ModelServer } from '../fixtures/scripted-model.js';

const KEY = 'sk-never-in-a-log';
const PATHS = ['/v1/messages', '/v1/responses', '/v1/chat/completions'] as const;
type Path = (typeof PATHS)[number];

const SCENARIO = {
  runs: [
    {
      name: 'work',
      when: 'work',
      turns: [
        { text: 'I begin.', calls: [{ shell: 'true' }], tokens: { input: 7, output: 5 } },
        { text: 'Done.' },
      ],
    },
    { name: 'refuse', when: 'refuse', turns: [{ fault: { status: 401, type: 'no_key' } }] },
    { name: 'twice', when: 'twice', turns: [{ text: 'ok', fault: { status: 529, times: 2 } }] },
    { name: 'quota', when: 'quota', turns: [{ fault: { quota: { resetsInSeconds: 60 } } }] },
    { name: 'cut', when: 'cut', turns: [{ text: 'half of this', fault: { cut: true } }] },
    { name: 'hang', when: 'hang', turns: [{ text: 'never', fault: { hang: true } }] },
  ],
};

let model: ModelServer;

beforeAll(async () => {
  model = await startModel(SCENARIO);
});
afterAll(() => model.close());

/** As the client of each protocol asks, with a shell for a tool. */
function bodyOf(path: Path, prompt: string): unknown {
  const common = { model: 'm', stream: true };
  const messages = [{ role: 'user', content: prompt }];
  if (path === '/v1/messages') return { ...common, messages, tools: [{ name: 'Bash' }] };
  if (path === '/v1/responses') return { ...common, input: prompt, tools: [{ name: 'shell' }] };
  return { ...common, messages, tools: [{ type: 'function', function: { name: 'bash' } }] };
}

function ask(path: Path, prompt: string, timeoutMs = 10_000): Promise<Response> {
  return fetch(`${model.url}${path}?key=${KEY}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${KEY}`,
      'x-api-key': KEY,
    },
    body: JSON.stringify(bodyOf(path, prompt)),
    signal: AbortSignal.timeout(timeoutMs),
  });
}

describe.each(PATHS)('the scripted model at %s', (path) => {
  it('streams text, a call of what is offered, and the tokens of the script', async () => {
    const response = await ask(path, 'work');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const text = await response.text();
    expect(text).toContain('I be');
    expect(text).toMatch(/turn0call0/);
    expect(text).toMatch(/"(output_tokens|completion_tokens)":5/);
  });

  it('fails as the script says: for good, or so often', async () => {
    expect((await ask(path, 'refuse')).status).toBe(401);
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await ask(path, 'twice')).status);
    expect(statuses).toEqual([529, 529, 200]);
  });

  it('says when a used-up quota is back, as its provider does', async () => {
    const response = await ask(path, 'quota');
    expect(response.status).toBe(429);
    const said = JSON.stringify([...response.headers]) + (await response.text());
    expect(said).toMatch(/unified-reset|resets_at|retry-after/);
  });

  it('breaks off in the middle, or never answers', async () => {
    await expect((await ask(path, 'cut')).text()).rejects.toThrow();
    await expect(ask(path, 'hang', 300)).rejects.toThrow(/timeout|abort/i);
  });

  it('refuses a prompt that no run is meant for', async () => {
    expect((await ask(path, 'something else')).status).toBe(400);
  });
});

it('logs which headers had a key, and never the key', async () => {
  const requests = await model.requests();
  expect(requests.length).toBeGreaterThan(0);
  for (const { keyHeaders } of requests) expect(keyHeaders).toEqual(['authorization', 'x-api-key']);
  expect(JSON.stringify(requests)).not.toContain(KEY);
});
