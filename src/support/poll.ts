import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer.
 * @returns the first answer that is not null, or null when the time is over
 */
export async function pollUntil<T>(
  ask: () => Promise<T | null> | T | null,
  options: { readonly timeoutMs: number; readonly intervalMs?: number },
): Promise<T | null> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() >= deadline) return null;
    await delay(options.intervalMs ?? 50);
  }
}
