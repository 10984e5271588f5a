import { describe, expect, it } from '@jest/globals';
import type { LaunchContext, LaunchPlan } from '../../../src/agents/agent.js';
import { modelAccess, STAND_IN_KEY } from '../../../src/agents/model-access.js';
import { adapterOf } from '../../../src/agents/registry.js';
import type { AgentKind } from '../../../src/domain/experiment/experiment.js';
import { LlmxError } from '../../../src/errors/llmx-error.js';

const KEY = 'sk-a-real-key';
const KEYS = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
const URLS = {
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080/',
  OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1',
};

interface Asked {
  readonly model?: string;
  readonly host?: Readonly<Record<string, string>>;
  readonly hasWeb?: boolean;
}

function plan(kind: AgentKind, { model, host = {}, hasWeb = false }: Asked = {}): LaunchPlan {
  const context: LaunchContext = {
    agent: { name: 'a', kind, model: model ?? null, argv: null },
    experimentDir: '/exp',
    promptFile: '/frozen/prompt.txt',
    solutionFile: '/frozen/fix.patch',
    inputsDir: '/sandbox/inputs',
    checkoutDir: '/sandbox/checkout',
    model: modelAccess(host),
    hasWeb,
    isContained: true,
    env: { PATH: '/bin', HOME: '/sandbox/home' },
  };
  return adapterOf(context.agent).launch(context);
}

const argv = (kind: AgentKind, asked: Asked = {}): string =>
  (plan(kind, asked).launch.argv ?? []).join(' ');
const config = (asked: Asked) =>
  JSON.parse(plan('opencode', asked).launch.env['OPENCODE_CONFIG_CONTENT'] ?? '');

const CLAUDE =
  'claude -p --output-format stream-json --verbose --permission-mode bypassPermissions';
const CODEX =
  'codex exec --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check --ignore-user-config --ephemeral -C /sandbox/checkout';
const OPENCODE = 'opencode run --format json';

describe('what a CLI is started with', () => {
  it.each([
    ['claude', CLAUDE],
    ['codex', CODEX],
    ['opencode', OPENCODE],
  ] as const)('%s: its fixed flags, then the model', (kind, flags) => {
    expect(argv(kind).startsWith(flags)).toBe(true);
    expect(argv(kind)).not.toContain('--model');
    expect(argv(kind, { model: 'p/m' }).startsWith(`${flags} --model p/m`)).toBe(true);
  });

  it('codex reads the prompt from standard input, whatever else it is told', () => {
    for (const asked of [{}, { model: 'm' }, { host: { ...KEYS, ...URLS } }]) {
      expect(plan('codex', asked).launch.argv?.at(-1)).toBe('-');
    }
  });

  describe.each(['claude', 'codex', 'opencode'] as const)('%s', (kind) => {
    it('gets the prompt as a file that ends, and nothing else of the host', () => {
      const { launch, inputs } = plan(kind);
      expect(launch.stdinFile).toBe('/sandbox/inputs/prompt.txt');
      expect(inputs).toEqual([{ from: '/frozen/prompt.txt', name: 'prompt.txt' }]);
    });

    it('has the environment of the sandbox, and every switch that keeps it quiet', () => {
      expect(plan(kind).launch.env).toMatchObject({
        PATH: '/bin',
        HOME: '/sandbox/home',
        TZ: 'UTC',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OTEL_SDK_DISABLED: 'true',
      });
    });

    it('never gets a key of the host', () => {
      for (const model of ['openai/x', 'anthropic/x', 'other/x']) {
        const text = JSON.stringify(plan(kind, { model, host: { ...KEYS, ...URLS } }));
        expect(text).not.toContain(KEY);
        expect(text).toContain(STAND_IN_KEY);
      }
    });

    it('has no key at all in its command line', () => {
      expect(argv(kind, { model: 'openai/x', host: { ...KEYS, ...URLS } })).not.toContain(
        STAND_IN_KEY,
      );
    });

    it('says nothing of a key or an address where it has a login', () => {
      const { env, argv: words } = plan(kind, { model: 'openai/x' }).launch;
      expect(Object.keys(env).filter((name) => /KEY|BASE_URL/.test(name))).toEqual([]);
      expect(JSON.stringify([words, env])).not.toMatch(/https?:/);
    });
  });
});

describe('where a CLI finds its model', () => {
  it('claude: at the address of its variable', () => {
    expect(plan('claude', { host: URLS }).launch.env).toMatchObject({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080',
      ANTHROPIC_API_KEY: STAND_IN_KEY,
    });
    expect(plan('claude', { host: KEYS }).launch.env).not.toHaveProperty('ANTHROPIC_BASE_URL');
  });

  it.each([
    ['an address', URLS, 'http://127.0.0.1:8080/v1'],
    ['a key alone', KEYS, 'https://api.openai.com/v1'],
  ])('codex with %s: at a provider of its own, with a bounded number of tries', (_, host, url) => {
    const text = argv('codex', { host });
    expect(text).toContain('-c model_provider=llmx -c model_providers.llmx={');
    expect(text).toContain(`base_url="${url}"`);
    expect(text).toContain('env_key="OPENAI_API_KEY"');
    expect(text).toMatch(/request_max_retries=\d,stream_max_retries=\d,/);
  });

  it('codex with a login: at its own provider', () => {
    expect(argv('codex')).not.toContain('model_provider');
  });

  it.each([
    ['openai/gpt-5.5', { openai: { options: { baseURL: URLS.OPENAI_BASE_URL } } }],
    ['anthropic/claude', { anthropic: { options: { baseURL: 'http://127.0.0.1:8080/v1' } } }],
    [
      'gateway/team/model',
      {
        gateway: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: URLS.OPENAI_BASE_URL, apiKey: '{env:OPENAI_API_KEY}' },
          models: { 'team/model': { tool_call: true } },
        },
      },
    ],
    ['openrouter/some/model', {}],
  ])('opencode with %s', (model, provider) => {
    const found = config({ model, host: URLS }).provider;
    expect(found).toMatchObject(provider);
    expect(Object.keys(found)).toEqual(Object.keys(provider));
  });

  it('opencode without a model, or an address: as it knows by itself', () => {
    expect(config({ host: URLS })).not.toHaveProperty('provider');
    expect(config({ model: 'gateway/x' }).provider).toEqual({});
  });
});

it('opencode asks nobody for permission, and no question', () => {
  expect(config({}).permission).toMatchObject({ '*': 'allow', question: 'deny' });
  // The last one that fits counts.
  expect(Object.keys(config({}).permission)[0]).toBe('*');
});

it('opencode installs nothing beside its settings', () => {
  expect(plan('opencode').settings).toEqual([
    { path: '.config/opencode/.npmrc', text: 'offline=true\n' },
  ]);
});

describe('a search that the provider runs', () => {
  const settings = (asked: Asked) => JSON.parse(plan('claude', asked).settings?.[0]?.text ?? '{}');

  it('is off where the trial reaches its model only', () => {
    expect(settings({}).permissions.deny).toEqual(['WebSearch', 'WebFetch']);
    expect(argv('codex')).toContain('-c web_search="disabled"');
    expect(config({}).permission).toMatchObject({ webfetch: 'deny', websearch: 'deny' });
  });

  it('is left as it is where the network is open', () => {
    expect(settings({ hasWeb: true })).not.toHaveProperty('permissions');
    expect(argv('codex', { hasWeb: true })).not.toContain('web_search');
    expect(config({ hasWeb: true }).permission).toMatchObject({ webfetch: 'allow' });
  });
});

describe('an agent that waits in vain', () => {
  const said = (kind: AgentKind): RegExp => new RegExp(plan(kind).launch.stall?.said ?? '^$');

  it.each([
    [
      'codex',
      '{"type":"error","message":"Reconnecting... 1/4 (exceeded retry limit, last status: 429 Too Many Requests)"}',
    ],
    [
      'codex',
      '{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}',
    ],
    [
      'opencode',
      'timestamp=2026-12-01T11:44:44.544Z level=ERROR run=d4 message="stream error" error.error="AI_APICallError: 5-hour usage limit reached."',
    ],
  ] as const)('%s is known by “%s”', (kind, line) => {
    expect(line).toMatch(said(kind));
  });

  it.each([
    [
      'codex',
      '{"type":"error","message":"Reconnecting... 1/4 (stream disconnected before completion)"}',
    ],
    [
      'codex',
      '{"type":"item.completed","item":{"type":"agent_message","text":"429 Too Many Requests"}}',
    ],
    [
      'opencode',
      'timestamp=2026-12-01T11:44:44.544Z level=ERROR run=d4 message=failed error="ENOENT"',
    ],
  ] as const)('%s goes on after “%s”', (kind, line) => {
    expect(line).not.toMatch(said(kind));
  });
});

describe('the address of a model', () => {
  it.each([
    ['ftp://host', /no http/],
    ['gateway.example.test', /no http/],
    ['https://me:secret@gateway.example.test', /a key belongs in its own variable/],
    ['https://gateway.example.test/?key=secret', /a key belongs in its own variable/],
  ])('%s is refused without repeating it', (url, problem) => {
    let error: unknown;
    try {
      modelAccess({ OPENAI_BASE_URL: url });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(LlmxError);
    expect((error as LlmxError).message).toMatch(problem);
    expect((error as LlmxError).message).not.toContain('secret');
  });
});
