import { distance } from 'fastest-levenshtein';

const LONGEST_SLIP = 64;

/** The candidate a person most probably meant, or null when none is near enough. */
export function suggest(given: string, candidates: readonly string[]): string | null {
  // Longer text is no slip of the finger, and distances of long texts are slow to find.
  if (given.length > LONGEST_SLIP) return null;
  const lowered = given.toLowerCase();
  let best: string | null = null;
  let fewest = Infinity;
  for (const candidate of candidates) {
    const edits = distance(lowered, candidate.toLowerCase());
    const third = Math.max(1, Math.floor(Math.max(given.length, candidate.length) / 3));
    // Swapped letters count as two edits, but are one slip.
    const allowed = sameLetters(lowered, candidate) ? third + 1 : third;
    if (edits <= allowed && edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

function sameLetters(a: string, b: string): boolean {
  return [...a].sort().join('') === [...b.toLowerCase()].sort().join('');
}
