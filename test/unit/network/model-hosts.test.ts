import { describe, expect, it } from '@jest/globals';
import { modelHostsOf } from '../../../src/agents/model-hosts.js';
import { AGENT_KINDS } from '../../../src/domain/experiment/experiment.js';
import { apiHost, apiHostsBelow } from '../../../src/domain/network/model-host.js';
import { LlmxError } from '../../../src/errors/llmx-error.js';
import { allowing, loopbackTargets } from '../../../src/network/allow-list.js';
import { parseAuthority } from '../../../src/network/authority.js';
import { extraModelHosts } from '../../../src/network/model-hosts-variable.js';

const allows = (text: string, authority: string): boolean => {
  const target = parseAuthority(authority);
  return target !== null && allowing(extraModelHosts({ LLMX_MODEL_HOSTS: text }), target) !== null;
};

describe('LLMX_MODEL_HOSTS', () => {
  it.each([
    ['api.example', 'api.example:443', true],
    ['api.example', 'API.EXAMPLE.:443', true],
    ['API.Example.', 'api.example:443', true],
    ['bücher.example', 'xn--bcher-kva.example:443', true],
    ['api.example', 'api.example:80', false],
    ['api.example', 'www.api.example:443', false],
    ['api.example', 'evilapi.example:443', false],
    ['api.example', 'api.example.evil.example:443', false],
    ['api.example:8443', 'api.example:8443', true],
    ['api.example:8443', 'api.example:443', false],
    ['*.api.example', 'eu.api.example:443', true],
    ['.api.example', 'eu.west.api.example:443', true],
    ['*.api.example', 'api.example:443', false],
    ['*.api.example', 'evilapi.example:443', false],
    ['*.api.example:8443', 'eu.api.example:8443', true],
    ['127.0.0.1:8080', '127.1:8080', true],
    ['127.0.0.1:8080', '[::ffff:127.0.0.1]:8080', true],
    ['127.0.0.1:8080', '127.0.0.1:8081', false],
    ['[::1]:8080', '[0::1]:8080', true],
    [' a.example , b.example,', 'b.example:443', true],
    ['', 'api.example:443', false],
  ])('%j: whether %j is allowed is %j', (text, authority, expected) => {
    expect(allows(text, authority)).toBe(expected);
  });

  it('opens a private network only to a host whose port is written', () => {
    const of = (text: string) => extraModelHosts({ LLMX_MODEL_HOSTS: text })[0]?.mayBePrivate;
    expect(of('model.corp.example:443')).toBe(true);
    expect(of('model.corp.example')).toBe(false);
    expect(of('*.corp.example:443')).toBe(false);
  });

  it.each([
    ['http://api.example', 'is not host, host:port or *.suffix'],
    ['api.example:99999', 'is not host, host:port or *.suffix'],
    ['key@api.example', 'is not host, host:port or *.suffix'],
    ['*', 'is not host, host:port or *.suffix'],
    ['api.*.example', 'is not host, host:port or *.suffix'],
    ['*.com', 'opens too much; write at least two names after the star'],
    ['*.10.0.0.1', 'opens too much; write at least two names after the star'],
    ['127.0.0.1', 'is no public address; write the port as well'],
    ['localhost', 'is no public address; write the port as well'],
    ['[::1]', 'is no public address; write the port as well'],
    ['169.254.169.254', 'is no public address; write the port as well'],
  ])('refuses %j by name', (item, problem) => {
    const read = () => extraModelHosts({ LLMX_MODEL_HOSTS: `a.example,${item}` });
    expect(read).toThrow(LlmxError);
    expect(read).toThrow(`LLMX_MODEL_HOSTS: ${JSON.stringify(item)} ${problem}`);
  });

  it('brings servers of this machine to the same address inside', () => {
    const text = 'api.example,127.0.0.1:8080,localhost:9090,10.0.0.7:80,[::1]:70';
    expect(loopbackTargets(extraModelHosts({ LLMX_MODEL_HOSTS: text }))).toEqual([
      { host: '127.0.0.1', port: 8080 },
      { host: 'localhost', port: 9090 },
      { host: '::1', port: 70 },
    ]);
  });
});

describe('the hosts of an agent', () => {
  const of = (kind: (typeof AGENT_KINDS)[number], model: string | null = null) =>
    modelHostsOf({ kind, model });

  it('are those of its model API', () => {
    expect(of('claude')).toContainEqual(apiHost('api.anthropic.com'));
    expect(of('codex')).toContainEqual(apiHost('api.openai.com'));
    expect(of('codex')).toContainEqual(apiHost('chatgpt.com'));
  });

  it.each([
    ['anthropic/claude-opus-4', apiHost('api.anthropic.com')],
    ['OpenRouter/openai/gpt-5', apiHost('openrouter.ai')],
    ['google/gemini-3', apiHost('generativelanguage.googleapis.com')],
    ['azure/gpt-5', apiHostsBelow('openai.azure.com')],
  ])('depend on the provider in opencode: %s', (model, host) => {
    expect(of('opencode', model)).toContainEqual(host);
  });

  it('do not open where anybody may keep files', () => {
    const models = ['amazon-bedrock/x', 'google-vertex/x', 'github-copilot/x', 'google/x'];
    const open = models.flatMap((model) => of('opencode', model));
    for (const elsewhere of ['s3.amazonaws.com', 'storage.googleapis.com', 'api.github.com']) {
      expect(allowing(open, { host: elsewhere, port: 443 })).toBeNull();
    }
    const bedrock = { host: 'bedrock-runtime.eu-west-1.amazonaws.com', port: 443 };
    expect(allowing(open, bedrock)).not.toBeNull();
  });

  it.each([null, 'gpt-5', 'mine/gpt-5', 'constructor/x', '/'])(
    'are none where the provider is not known: %j',
    (model) => {
      expect(of('opencode', model)).toEqual([]);
    },
  );

  it.each(['command', 'oracle', 'nop'] as const)('are none for %s', (kind) => {
    expect(of(kind)).toEqual([]);
  });

  it.each(AGENT_KINDS)('are never a private address or another port than 443: %s', (kind) => {
    for (const host of of(kind, 'google-vertex/x')) {
      expect(host).toMatchObject({ port: 443, mayBePrivate: false });
      expect(parseAuthority(host.host, 443)?.host).toBe(host.host);
    }
  });
});
