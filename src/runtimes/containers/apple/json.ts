/** What the CLI prints has changed its shape twice, so nothing about it is taken for granted. */
export type Json = Readonly<Record<string, unknown>>;

/** The JSON of an answer, also after notes that the CLI prints before it; undefined when there is none. */
export function readJson(output: string): unknown {
  const starts = [0, output.search(/^[[{]/m)].filter((start) => start >= 0);
  for (const start of starts) {
    try {
      return JSON.parse(output.slice(start)) as unknown;
    } catch {
      // Not from here on.
    }
  }
  return undefined;
}

export function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function textsIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectIn(value)).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text]] : [],
    ),
  );
}
