import { lastLine } from '../engine-call.js';
import { errorIn } from './call.js';

/** What the CLI ends with when it failed itself: an error, or a call it does not understand. */
const OWN_EXITS = [1, 64];

const SAID_BY_EXIT: Readonly<Record<number, string>> = {
  // A signal that came before the command began, which leaves a container that never ran.
  130: 'apple: interrupted (exit 130)',
  137: 'the container was killed (exit 137), perhaps for lack of memory',
  143: 'apple: told to end (exit 143)',
  255: 'apple: the virtual machine was lost (exit 255)',
};

/**
 * Exit codes of the command are passed through as they are, and the CLI's own are among them: only what it
 * says tells them apart.
 * @returns null when the exit code is the command's
 */
export function runFailure(exit: number, stderr: string): string | null {
  const said = errorIn(stderr);
  if (OWN_EXITS.includes(exit) && said !== null) return `apple: ${said}`;
  return exit >= 125
    ? (SAID_BY_EXIT[exit] ?? `apple: ${lastLine(stderr) ?? `exit ${exit}`}`)
    : null;
}
