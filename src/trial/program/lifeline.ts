import { Socket } from 'node:net';

/**
 * Calls back when standard input closes: whoever held its other end is dead. Listening keeps nothing
 * running.
 */
export function onStdinClosed(listener: () => void): void {
  const stdin = new Socket({ fd: 0, readable: true, writable: false });
  stdin.on('error', () => undefined); // 'close' follows
  stdin.once('close', listener);
  stdin.resume();
  stdin.unref();
}
