/** Names that a CLI turns into a model of its own choice. */
const ANY_MODEL = new Set(['default', 'best', 'opusplan']);

/**
 * Whether a served model is the one that was asked for. A family name (`opus`) fits any model of the family,
 * a name without a date fits every date of it, and neither what a provider puts around it (`provider/model`,
 * `us.anthropic.model-v1:0`) nor a context size behind it (`[1m]`) makes it another model.
 */
export function isModelAsked(asked: string, served: string): boolean {
  const want = plainModel(asked).replace(/-latest$/, '');
  const got = plainModel(served);
  if (want === got || ANY_MODEL.has(want)) return true;
  if (!/\d/.test(want)) return got.split(/[^a-z0-9]+/).includes(want);
  return got.startsWith(want) && /^[-@]?\d{4}-?\d{2}-?\d{2}$/.test(got.slice(want.length));
}

function plainModel(name: string): string {
  const lower = name.toLowerCase().replace(/\[[^\]]*\]$/, '');
  const withoutProvider = lower.slice(lower.lastIndexOf('/') + 1).replace(/^.*\banthropic\./, '');
  return withoutProvider.replace(/-v\d+(:\d+)?$/, '');
}
