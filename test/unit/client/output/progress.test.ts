import { describe, expect, it } from '@jest/globals';
import { Progress } from '../../../../src/client/output/progress.js';
import type { CliContext } from '../../../../src/client/context.js';
import { capturedCli } from '../../../fixtures/captured-cli.js';

function drawn(settings: Partial<CliContext>, draw: (progress: Progress) => void): string {
  const { cli, captured } = capturedCli(settings);
  draw(new Progress(cli));
  expect(captured().stdout).toBe('');
  return captured().stderr;
}

const threeSteps = (progress: Progress): void => {
  progress.show('1/4 cells', 1, 4);
  progress.show('1/4 cells', 1, 4);
  progress.show('4/4 cells', 4, 4);
  progress.end();
};

describe('progress', () => {
  it.each<readonly [string, Partial<CliContext>]>([
    ['off a terminal', {}],
    ['on a dumb terminal', { stderrIsTty: true, env: { TERM: 'dumb' } }],
    ['in CI', { stderrIsTty: true, env: { CI: 'true' } }],
  ])('is one plain line for each change %s', (_name, settings) => {
    expect(drawn(settings, threeSteps)).toBe('1/4 cells\n4/4 cells\n');
  });

  it('is a bar that is drawn over itself on a terminal, with the cursor below it at the end', () => {
    expect(drawn({ stderrIsTty: true }, threeSteps)).toBe(
      '\r\u001b[2K[######..................] 1/4 cells' +
        '\r\u001b[2K[########################] 4/4 cells\n',
    );
  });

  it('never fills the last column, where a terminal would begin a new line', () => {
    const text = drawn({ stderrIsTty: true }, (progress) => {
      progress.show('x'.repeat(500), 0, 0);
    });
    expect(text.replace('\r\u001b[2K', '').length).toBeLessThan(process.stderr.columns || 80);
  });

  it('ends without a trace when nothing was shown', () => {
    const nothing = drawn({ stderrIsTty: true }, (progress) => {
      progress.end();
    });
    expect(nothing).toBe('');
  });
});
