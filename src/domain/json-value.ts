/** Reading JSON that somebody else wrote: what is not there, or of another type, is null. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(value: JsonObject | null, key: string): JsonObject | null {
  const object = value?.[key];
  return isObject(object) ? object : null;
}

export function textAt(value: JsonObject | null, key: string): string | null {
  const text = value?.[key];
  return typeof text === 'string' ? text : null;
}

/** Longer sentences of errors are cut: nothing is looked for further behind. */
const MAX_SAID_CHARS = 4000;

/** A sentence for a reader; empty when there is none. */
export function saidAt(value: JsonObject | null, key: string): string {
  return (textAt(value, key) ?? '').slice(0, MAX_SAID_CHARS);
}

/** Finite numbers only. */
export function numberAt(value: JsonObject | null, key: string): number | null {
  const number = value?.[key];
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function listAt(value: JsonObject | null, key: string): readonly unknown[] {
  const list = value?.[key];
  return Array.isArray(list) ? list : [];
}

export function objectsAt(value: JsonObject | null, key: string): readonly JsonObject[] {
  return listAt(value, key).filter(isObject);
}

/** Null for what is not the JSON of an object. */
export function parseObject(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null; // not JSON
  }
}
