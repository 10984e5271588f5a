import pc from 'picocolors';
import type { Check, CheckStatus, Verdict } from '../../domain/preflight/check.js';

/** `picocolors` reads the terminal once; the CLI decides per stream. */
export function colors(enabled: boolean): ReturnType<typeof pc.createColors> {
  return pc.createColors(enabled);
}

/** One line a check, its next command below it, the verdict last. */
export function checksText(checks: readonly Check[], verdict: Verdict, color: boolean): string {
  const paint = colors(color);
  const mark: Record<CheckStatus, string> = {
    ok: paint.green('ok  '),
    warn: paint.yellow('warn'),
    fail: paint.red('FAIL'),
  };
  const width = Math.max(...checks.map((check) => check.name.length), 0);
  const lines = checks.flatMap((check) => [
    `${mark[check.status]}  ${check.name.padEnd(width)}  ${check.detail}`,
    ...(check.hint === null || check.status === 'ok'
      ? []
      : [`      ${' '.repeat(width)}  next: ${check.hint}`]),
  ]);
  const shown = { GREEN: paint.green, YELLOW: paint.yellow, RED: paint.red }[verdict](verdict);
  return [...lines, '', `verdict: ${shown}`].join('\n');
}
