/**
 * Finds or makes Temporal's time-skipping test server.
 * @returns the absolute path of a program that serves on the port given as its argument
 */
export function ensureTestServer(
  env?: Readonly<Record<string, string | undefined>>,
  note?: (text: string) => void,
): string;
