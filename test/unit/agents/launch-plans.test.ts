import { describe, expect, it } from '@jest/globals';
import type { LaunchContext, LaunchPlan } from '../../../src/agents/agent.js';
import type { ModelApi } from '../../../src/agents/model-access.js';
import { adapterOf } from '../../../src/agents/registry.js';
import type { AgentKind } from '../../../src/domain/experiment/experiment.js';
import { proxiedEnv, keyApiOf } from '../../../src/agents/key-apis.js';

/** Opens nothing but the proxy. */
const KEY = 'llmx-a-token-of-the-proxy';
const PROXY = 'http://127.0.0.1:8080/v1';

interface Asked {
  readonly model?: string;
  /** As a trial with an API key has it: at the proxy; else the agent has a login, or nothing. */
  readonly hasKey?: boolean;
  readonly hasWeb?: boolean;
}

function plan(kind: AgentKind, asked: Asked = {}): LaunchPlan {
  const { model, hasKey = false, hasWeb = false } = asked;
  const api = hasKey ? keyApiOf({ kind, model: model ?? null }, { OPENAI_BASE_URL: PROXY }) : null;
  const found: ModelApi | null = api && { provider: api.provider, baseUrl: PROXY, key: KEY };
  const context: LaunchContext = {
    agent: { name: 'a', kind, model: model ?? null, argv: null },
    experimentDir: '/exp',
    promptFile: '/frozen/prompt.txt',
    solutionFile: '/frozen/fix.patch',
    inputsDir: '/sandbox/inputs',
    checkoutDir: '/sandbox/checkout',
    model: found,
    hasWeb,
    isContained: true,
    env: {
      ...{ PATH: '/bin', HOME: '/sandbox/home' },
      ...(api === null ? {} : proxiedEnv(api, PROXY, KEY)),
    },
  };
  return adapterOf(context.agent).launch(context);
}

const argv = (kind: AgentKind, asked: Asked = {}): string =>
  (plan(kind, asked).launch.argv ?? []).join(' ');
const config = (asked: Asked): Record<string, unknown> =>
  JSON.parse(plan('opencode', asked).launch.env['OPENCODE_CONFIG_CONTENT'] ?? '') as never;

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
    for (const asked of [{}, { model: 'm' }, { hasKey: true }]) {
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

    it('has no key at all in its command line', () => {
      expect(argv(kind, { model: 'openai/x', hasKey: true })).not.toContain(KEY);
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
    expect(plan('claude', { hasKey: true }).launch.env).toMatchObject({
      ANTHROPIC_BASE_URL: PROXY,
      ANTHROPIC_API_KEY: KEY,
    });
  });

  it('codex with a key: at a provider of its own, with a bounded number of tries', () => {
    const text = argv('codex', { hasKey: true });
    expect(text).toContain('-c model_provider=llmx -c model_providers.llmx={');
    expect(text).toContain(`base_url="${PROXY}"`);
    expect(text).toContain('env_key="CODEX_API_KEY"');
    expect(text).toMatch(/request_max_retries=\d,stream_max_retries=\d,/);
    expect(plan('codex', { hasKey: true }).launch.env).toMatchObject({ CODEX_API_KEY: KEY });
  });

  it('codex with a login: at its own provider', () => {
    expect(argv('codex')).not.toContain('model_provider');
  });

  it.each([
    ['openai/gpt-5.5', { openai: { options: { baseURL: PROXY } } }],
    ['anthropic/claude', { anthropic: { options: { baseURL: PROXY } } }],
    ['openrouter/some/model', { openrouter: { options: { baseURL: PROXY } } }],
    [
      'gateway/team/model',
      {
        gateway: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: PROXY, apiKey: '{env:LLMX_MODEL_KEY}' },
          models: { 'team/model': { tool_call: true } },
        },
      },
    ],
  ])('opencode with %s', (model, provider) => {
    const found = config({ model, hasKey: true })['provider'];
    expect(found).toMatchObject(provider);
    expect(Object.keys(found as object)).toEqual(Object.keys(provider));
    expect(plan('opencode', { model, hasKey: true }).launch.env['LLMX_MODEL_KEY']).toBe(KEY);
  });

  it('opencode without a model, or a key: as it knows by itself', () => {
    expect(config({ hasKey: true })).not.toHaveProperty('provider');
    expect(config({ model: 'gateway/x' })).not.toHaveProperty('provider');
  });
});

it('opencode asks nobody for permission, and no question', () => {
  expect(config({})['permission']).toMatchObject({ '*': 'allow', question: 'deny' });
  // The last one that fits counts.
  expect(Object.keys(config({})['permission'] as object)[0]).toBe('*');
});

it('opencode installs nothing beside its settings', () => {
  expect(plan('opencode').settings).toEqual([
    { path: '.config/opencode/.npmrc', text: 'offline=true\n' },
  ]);
});

describe('a search that the provider runs', () => {
  const settings = (asked: Asked): Record<string, unknown> =>
    JSON.parse(plan('claude', asked).settings?.[0]?.text ?? '{}') as never;

  it('is off where the trial reaches its model only', () => {
    expect(settings({})['permissions']).toEqual({ deny: ['WebSearch', 'WebFetch'] });
    expect(argv('codex')).toContain('-c web_search="disabled"');
    expect(config({})['permission']).toMatchObject({ webfetch: 'deny', websearch: 'deny' });
  });

  it('is left as it is where the network is open', () => {
    expect(settings({ hasWeb: true })).not.toHaveProperty('permissions');
    expect(argv('codex', { hasWeb: true })).not.toContain('web_search');
    expect(config({ hasWeb: true })['permission']).toMatchObject({ webfetch: 'allow' });
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
