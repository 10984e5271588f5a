import { describe, expect, it } from '@jest/globals';
import { networkCheck } from '../../../../src/preflight/checks/network.js';
import { CHECKED_FILE, subjectOf } from '../../../fixtures/check-subject.js';
import { edited } from '../../../fixtures/experiment-text.js';

interface Case {
  readonly network?: string;
  readonly runtime?: string;
  readonly agent?: string;
  readonly hosts?: string;
}

async function check({ network, runtime = 'podman', agent = 'nop:', hosts }: Case) {
  const chosen = edited('runtime: process', `runtime: ${runtime}`, CHECKED_FILE);
  const text = edited('  nop:\n', `  ${agent}\n`, chosen);
  const file = network === undefined ? text : `${text}network: ${network}\n`;
  const { status, detail, hint } = await networkCheck(subjectOf('/nowhere', file), {
    LLMX_MODEL_HOSTS: hosts,
  });
  return { status, detail, hint };
}

describe('the check of the network', () => {
  it.each<[Case, string, string]>([
    [{}, 'ok', 'model-only: no host'],
    [
      { agent: 'claude:' },
      'ok',
      'model-only: api.anthropic.com, platform.claude.com, console.anthropic.com',
    ],
    [{ hosts: '127.0.0.1:8080,*.a.example' }, 'ok', 'model-only: 127.0.0.1:8080, *.a.example'],
    [{ hosts: 'a b' }, 'fail', 'LLMX_MODEL_HOSTS: "a b" is not host, host:port or *.suffix'],
    [
      { agent: 'opencode: {model: mine/x}' },
      'fail',
      'the hosts of the model API of opencode are not known',
    ],
    [{ agent: 'opencode: {model: mine/x}', hosts: 'a.example' }, 'ok', 'model-only: a.example'],
    [{ network: 'none' }, 'ok', 'none: no interface but loopback'],
    [
      { network: 'none', agent: 'claude:' },
      'fail',
      'network: none keeps claude from the model API',
    ],
    [{ network: 'open' }, 'ok', 'open: trials reach whatever this machine reaches'],
    [
      { runtime: 'process', agent: 'claude:' },
      'warn',
      "network: model-only can't be kept on the process runtime; claude may reach anything",
    ],
    [
      { runtime: 'process', network: 'none' },
      'warn',
      "network: none can't be kept on the process runtime; trials may reach anything",
    ],
    [
      { runtime: 'process' },
      'ok',
      'not limited on the process runtime; no agent here needs a limit',
    ],
    [
      { runtime: 'process', network: 'open', agent: 'claude:' },
      'ok',
      'open: trials reach whatever this machine reaches',
    ],
  ])('of %j is %s: %s', async (given, status, detail) => {
    const found = await check(given);
    expect(found).toMatchObject({ status, detail });
    expect(found.hint === null).toBe(status === 'ok');
  });
});
