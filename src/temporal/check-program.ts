import { resolve } from 'node:path';
import { runCommand } from '../support/run-command.js';
import type { Attempt } from './program-source.js';

/** Whether the file is a Temporal CLI that runs here. */
export async function checkProgram(path: string): Promise<Attempt> {
  const program = resolve(path);
  const result = await runCommand([program, '--version'], { timeoutMs: 30_000 });
  if (result.notFound) return { kind: 'failed', reason: `${program} does not exist` };
  if (result.timedOut) {
    return { kind: 'failed', reason: `${program} --version did not end within 30 s` };
  }
  const said = firstLine(result.stdout) || firstLine(result.stderr);
  if (!result.ok) {
    const how = result.exit === null ? 'cannot be run' : `--version ended with ${result.exit}`;
    return { kind: 'failed', reason: `${program} ${how}${said && `: ${said}`}` };
  }
  return /^temporal version \S+ \(.*server/i.test(said)
    ? { kind: 'found', path: program }
    : { kind: 'failed', reason: `${program} is not the Temporal CLI: it says "${said}"` };
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 200);
}
