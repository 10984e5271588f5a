/** What a void attempt asks of the grid before anything like it is worth another start. */
export interface ResumeAdvice {
  /**
   * `retry`: soon, and less often each time. `wait`: until the provider goes on. `stop-arm`: this agent can't
   * run here. `stop-grid`: a person has to do something first (log in, pay).
   */
  readonly kind: 'retry' | 'wait' | 'stop-arm' | 'stop-grid';
  /** `wait` only: when the provider says that it goes on, ISO 8601; null when it does not say. */
  readonly at: string | null;
}

const KINDS: readonly string[] = ['retry', 'wait', 'stop-arm', 'stop-grid'];

/** From the two fields of a stored record; null where it has none. */
export function resumeAdvice(kind: unknown, at: unknown): ResumeAdvice | null {
  if (typeof kind !== 'string' || !KINDS.includes(kind)) return null;
  const isTime = typeof at === 'string' && !Number.isNaN(Date.parse(at));
  return { kind: kind as ResumeAdvice['kind'], at: isTime ? at : null };
}
