/** Names that a CLI turns into a model of its own choice. */
const ALIASES = new Set(['opus', 'sonnet', 'haiku', 'fable', 'best', 'default', 'opusplan']);

/**
 * Whether a served model is the one that was asked for. A family name (`opus`) fits any model of the family,
 * a name without a date fits every date of it, and neither a provider before it (`provider/model`) nor a
 * context size behind it (`[1m]`) makes it another model.
 */
export function isModelAsked(asked: string, served: string): boolean {
  const want = plainModel(asked);
  const got = plainModel(served);
  if (want === got || want === 'default' || want === 'best' || want === 'opusplan') return true;
  if (ALIASES.has(want)) return got.split(/[^a-z0-9]+/).includes(want);
  return got.startsWith(want) && /^[-@]?\d{4}-?\d{2}-?\d{2}$/.test(got.slice(want.length));
}

function plainModel(name: string): string {
  const lower = name.toLowerCase().replace(/\[[^\]]*\]$/, '');
  return lower.slice(lower.lastIndexOf('/') + 1);
}
