import { Transform, type TransformCallback } from 'node:stream';

/**
 * Stars in the place of a key, as many as it has characters: some servers quote the key in what they answer.
 * Holds back no more than what may be the beginning of one.
 */
export function maskKey(key: string): Transform {
  const wanted = Buffer.from(key);
  const stars = Buffer.alloc(wanted.length, '*');
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      let at = data.indexOf(wanted);
      const masked = at < 0 ? data : Buffer.from(data);
      for (; at >= 0; at = data.indexOf(wanted, at + wanted.length)) stars.copy(masked, at);
      const kept = beginningAtEnd(masked, wanted);
      held = Buffer.from(masked.subarray(masked.length - kept));
      done(null, masked.subarray(0, masked.length - kept));
    },
    flush(done: TransformCallback) {
      done(null, held);
    },
  });
}

/** How many bytes at the end may be the beginning of the key. */
function beginningAtEnd(data: Buffer, wanted: Buffer): number {
  for (let length = Math.min(wanted.length - 1, data.length); length > 0; length -= 1) {
    if (data.subarray(data.length - length).equals(wanted.subarray(0, length))) return length;
  }
  return 0;
}
