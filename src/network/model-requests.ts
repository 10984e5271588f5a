import { readFile } from 'node:fs/promises';
import { isErrno } from '../support/atomic-file.js';

/** In the attempt's folder: a line for each request that went by the key proxy. */
export const MODEL_REQUESTS_FILE = 'model-requests.jsonl';

/** What the requests of a trial say together. Models are in the order they first came up. */
export interface ModelRequests {
  /** Those that the API answered with success. */
  readonly answered: number;
  readonly modelsAsked: readonly string[];
  readonly modelsServed: readonly string[];
}

/** Null where no key proxy was used. A line that was cut off is left out. */
export async function readModelRequests(file: string): Promise<ModelRequests | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
  let answered = 0;
  const [asked, served] = [new Set<string>(), new Set<string>()];
  for (const line of text.split('\n')) {
    const { status, modelAsked, modelServed } = parsed(line);
    if (typeof status === 'number' && status >= 200 && status < 300) answered += 1;
    if (typeof modelAsked === 'string') asked.add(modelAsked);
    if (typeof modelServed === 'string') served.add(modelServed);
  }
  return { answered, modelsAsked: [...asked], modelsServed: [...served] };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(line) ?? {}) as Record<string, unknown>;
  } catch {
    return {}; // the last line of a supervisor that was killed
  }
}
