import { describe, expect, it } from '@jest/globals';
import { note, printJson, printLine } from '../../../../src/client/output/print.js';
import { capturedCli } from '../../../fixtures/captured-cli.js';

describe('what a command prints', () => {
  it('is its result on stdout and everything else on stderr', () => {
    const { cli, captured } = capturedCli();
    printLine(cli, 'result');
    note(cli, 'by the way');
    expect(captured()).toEqual({ stdout: 'result\n', stderr: 'by the way\n' });
  });

  it('is one line of JSON that says its version and kind first', () => {
    const { cli, captured } = capturedCli();
    printJson(cli, 'plan', { total: 2, note: 'a\nb' });
    expect(captured().stdout).toBe('{"schemaVersion":1,"kind":"plan","total":2,"note":"a\\nb"}\n');
  });
});
