/** A JSON object from disk: meta.json, metrics.json, or both in one. */
export type StoredRecord = Readonly<Record<string, unknown>>;
