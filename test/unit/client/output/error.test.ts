import { describe, expect, it } from '@jest/globals';
import { renderError } from '../../../../src/client/output/error.js';
import { LlmxError } from '../../../../src/errors/llmx-error.js';
import { capturedCli } from '../../../fixtures/captured-cli.js';

const KNOWN = new LlmxError('not_waiting', { workflowId: 'w', state: 'it runs' });

function shown(error: unknown, json: boolean, env: Record<string, string> = {}) {
  const { cli, captured } = capturedCli({ env });
  const exit = renderError(cli, error, json);
  return { exit, ...captured() };
}

describe('an error for a person', () => {
  it('is its sentence and the next command, on stderr, with the exit code of the table', () => {
    expect(shown(KNOWN, false)).toEqual({
      exit: 6,
      stdout: '',
      stderr: 'error: w is not waiting for an approval: it runs\nnext: llmx-client status\n',
    });
  });

  it('is one JSON value on stdout when asked for', () => {
    expect(shown(KNOWN, true)).toEqual({
      exit: 6,
      stdout: `${JSON.stringify({
        schemaVersion: 1,
        error: {
          code: 'not_waiting',
          message: 'w is not waiting for an approval: it runs',
          hint: 'llmx-client status',
        },
      })}\n`,
      stderr: '',
    });
  });

  it.each([
    [new TypeError('x is no function\n    at main (main.js:1:1)'), 'x is no function'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
  ])('is one line without a stack trace when nobody foresaw it: %p', (thrown, reason) => {
    const { exit, stderr } = shown(thrown, false);
    expect(exit).toBe(1);
    expect(stderr).toBe(
      `error: unexpected error: ${reason}\nnext: run the command again with LLMX_DEBUG=1 to see where it happened\n`,
    );
    expect(JSON.parse(shown(thrown, true).stdout)).toMatchObject({ error: { code: 'unexpected' } });
  });

  it('shows where it happened on request, with the cause of a known one', () => {
    const debug = { LLMX_DEBUG: '1' };
    const cause = new Error('socket closed');
    const error = new LlmxError('temporal_refused', { address: 'a', reason: 'no' }, { cause });
    expect(shown(error, true, debug).stderr).toMatch(/^Error: socket closed\n\s+at /);
    expect(shown(KNOWN, false, debug).stderr).toMatch(/\nLlmxError: w is not waiting.*\n\s+at /);
    expect(shown('a text', false, debug).stderr).toContain('a text\n');
  });
});
