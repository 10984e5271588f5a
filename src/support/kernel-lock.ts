import { connect, createServer, type Server, type Socket } from 'node:net';
import { createHash } from 'node:crypto';

/** A lock the kernel releases when its holder dies, whatever killed it. */
export interface KernelLock {
  /** A process that inherits it holds the lock too, until it ends; null where it can't be handed on. */
  readonly fd: number | null;
  release(): Promise<void>;
}

/** @returns the lock, or null while another process holds it */
export async function tryKernelLock(name: string): Promise<KernelLock | null> {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.on('error', () => undefined); // a waiter that dies is no concern of the holder
    socket.on('close', () => waiting.delete(socket));
  });
  const taken = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(address(name), () => {
      resolve(true);
    });
  });
  if (!taken) return null;
  // The lock must not keep its holder's process running.
  server.unref();
  return { fd: descriptorOf(server), release: () => close(server, waiting) };
}

/** Node has it, but in no public place. */
function descriptorOf(server: Server): number | null {
  const { _handle: handle } = server as { readonly _handle?: { readonly fd?: number } | null };
  return handle?.fd !== undefined && handle.fd >= 0 ? handle.fd : null;
}

/**
 * Waits until the lock is free and takes it. Waiting costs nothing: a connection to the holder ends
 * when the holder does. `onWait` comes once; `beforeWait` comes again when a holder died that had handed
 * its lock on.
 */
export async function acquireKernelLock(
  name: string,
  options: {
    readonly onWait?: () => void;
    readonly beforeWait?: () => Promise<void>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<KernelLock> {
  for (let waits = 0; ; waits++) {
    options.signal?.throwIfAborted();
    const lock = await tryKernelLock(name);
    if (lock !== null) return lock;
    if (waits === 0) options.onWait?.();
    await options.beforeWait?.();
    await holderGone(name, options.signal);
  }
}

function holderGone(name: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(address(name));
    const done = (): void => {
      socket.destroy();
      resolve();
    };
    socket.once('close', done);
    socket.once('error', () => undefined); // 'close' follows: the holder went away in between
    signal?.addEventListener('abort', done, { once: true });
    if (signal?.aborted === true) done(); // aborted before anybody listened
  });
}

function close(server: Server, waiting: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    for (const socket of waiting) socket.destroy();
  });
}

/** An abstract socket on Linux; elsewhere a loopback port derived from the name. */
function address(name: string): { path: string } | { port: number; host: string } {
  if (process.platform === 'linux') return { path: `\0llmx-${name}` };
  const digest = createHash('sha256').update(name).digest();
  return { host: '127.0.0.1', port: 20_000 + (digest.readUInt16BE(0) % 20_000) };
}
