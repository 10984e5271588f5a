import type { PauseScope, ResumeKind } from './ending/ending.js';

/** What a void attempt asks of the grid before anything like it is worth another start. */
export interface ResumeAdvice {
  readonly kind: ResumeKind;
  /** Whose trials the cause concerns. */
  readonly scope: PauseScope;
  /** `wait` only, ISO-8601 UTC: start again then, not before. A minute after the provider's reset already. */
  readonly at?: string;
}

const KINDS: Readonly<Record<ResumeKind, true>> = {
  retry: true,
  wait: true,
  probe: true,
  'stop-arm': true,
  'stop-grid': true,
};

const SCOPES: Readonly<Record<PauseScope, true>> = {
  trial: true,
  task: true,
  arm: true,
  model: true,
  account: true,
  provider: true,
  host: true,
  grid: true,
};

/** From the fields of a stored record; null where it has none. */
export function resumeAdvice(record: Readonly<Record<string, unknown>>): ResumeAdvice | null {
  const { resume: kind, resume_scope: scope, resume_at: at } = record;
  if (typeof kind !== 'string' || typeof scope !== 'string') return null;
  if (!Object.hasOwn(KINDS, kind) || !Object.hasOwn(SCOPES, scope)) return null;
  const isTime = typeof at === 'string' && !Number.isNaN(Date.parse(at));
  return {
    kind: kind as ResumeKind,
    scope: scope as PauseScope,
    ...(isTime ? { at } : {}),
  };
}
