import type { Check } from '../../domain/preflight/check.js';
import { runCommand } from '../../support/run-command.js';

export async function gitCheck(): Promise<Check> {
  const base = { code: 'git', name: 'git' } as const;
  const result = await runCommand(['git', '--version'], { timeoutMs: 10_000 });
  return result.ok
    ? { ...base, status: 'ok', detail: result.stdout.trim(), hint: null }
    : { ...base, status: 'fail', detail: 'git was not found on PATH', hint: 'install git' };
}
