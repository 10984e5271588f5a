import type { Check } from '../../domain/preflight/check.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { CliContext } from '../context.js';
import { checksText } from '../output/checks.js';
import { note } from '../output/print.js';

/** Shows the table on stderr and makes the error that names what failed. */
export function redError(cli: CliContext, checks: readonly Check[]): LlmxError {
  const failed = checks.filter((check) => check.status === 'fail');
  note(cli, checksText(checks, 'RED', cli.stderrIsTty));
  return new LlmxError('preflight_red', {
    checks: failed.map((check) => `${check.name}: ${check.detail}`).join('; '),
    hint: failed.find((check) => check.hint !== null)?.hint ?? 'llmx-client doctor',
  });
}
