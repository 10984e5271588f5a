import { Socket } from 'node:net';

/** Standard input, whose other end the supervisor holds. */
export interface Lifeline {
  /** Waits until the supervisor has written a line. */
  readonly goAhead: () => Promise<void>;
}

/**
 * Calls back when standard input closes: whoever held its other end is dead. Listening keeps nothing
 * running, waiting for a line does.
 */
export function holdLifeline(onClosed: () => void): Lifeline {
  const stdin = new Socket({ fd: 0, readable: true, writable: false });
  const line = new Promise<void>((resolve) => {
    stdin.once('data', () => {
      resolve();
    });
  });
  stdin.on('error', () => undefined); // 'close' follows
  stdin.once('close', onClosed);
  stdin.resume();
  stdin.unref();
  return {
    goAhead: async () => {
      stdin.ref();
      await line;
      stdin.unref();
    },
  };
}
