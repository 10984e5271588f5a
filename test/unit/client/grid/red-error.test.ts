import { describe, expect, it } from '@jest/globals';
import { redError } from '../../../../src/client/grid/red-error.js';
import type { Check } from '../../../../src/domain/preflight/check.js';
import { capturedCli } from '../../../fixtures/captured-cli.js';

const check = (name: string, status: Check['status'], hint: string | null): Check => ({
  code: name,
  name,
  status,
  detail: `${name} seen`,
  hint,
});

describe('the error of a RED preflight', () => {
  it('names what failed and takes its first hint; the whole table is on stderr', () => {
    const { cli, captured } = capturedCli();
    const error = redError(cli, [
      check('git', 'ok', null),
      check('prompts', 'warn', 'write it'),
      check('disk', 'fail', null),
      check('agents', 'fail', 'chmod +x agent.sh'),
    ]);
    expect(error).toMatchObject({
      code: 'preflight_red',
      exitCode: 3,
      message: 'preflight is RED: disk: disk seen; agents: agents seen',
      hint: 'chmod +x agent.sh',
    });
    const { stdout, stderr } = captured();
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^ok {4}git /);
    expect(stderr).toMatch(/\n\nverdict: RED\n$/);
  });

  it('sends to doctor when no check says more', () => {
    expect(redError(capturedCli().cli, [check('disk', 'fail', null)]).hint).toBe(
      'llmx-client doctor',
    );
  });
});
