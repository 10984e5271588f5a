import type { Duplex } from 'node:stream';

/**
 * Joins two connections. Each direction ends by itself, so that a peer that has said all it has to say still
 * hears the answer; a broken one takes the other along. Neither side is read faster than the other takes it.
 */
export function pipeBoth(a: Duplex, b: Duplex): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.pipe(to);
    from.once('error', () => to.destroy());
    from.once('close', () => {
      // What was read to its end has been handed on, and may still be on its way.
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
  }
}
