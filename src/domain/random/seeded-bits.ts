/** Random numbers that a text decides: the same on every machine and in every version. Not for secrets. */

/** The next 32 random bits, as an integer from 0 to 2^32 − 1. */
export type RandomBits = () => number;

/**
 * sfc32 ("small fast counting" generator of Chris Doty-Humphrey, PractRand) over a state of three words
 * that FNV-1a makes of the text, one word per prefix, and a counter that starts at 1. The first 16
 * outputs are thrown away, so that texts that differ in one bit give unrelated sequences.
 */
export function seededBits(text: string): RandomBits {
  let a = fnv1a(`a${text}`);
  let b = fnv1a(`b${text}`);
  let c = fnv1a(`c${text}`);
  let counter = 1;
  const next = (): number => {
    const output = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + output) | 0;
    return output >>> 0;
  };
  for (let warmUp = 0; warmUp < 16; warmUp++) next();
  return next;
}

/** An integer from 0 to `limit` − 1, all equally likely: outputs beyond the last full multiple are redrawn. */
export function below(bits: RandomBits, limit: number): number {
  const fair = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const drawn = bits();
    if (drawn < fair) return drawn % limit;
  }
}

/** A number strictly between 0 and 1. */
export function unit(bits: RandomBits): number {
  return (bits() + 0.5) / 2 ** 32;
}

/** FNV-1a, 32 bits, over UTF-16 code units. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
