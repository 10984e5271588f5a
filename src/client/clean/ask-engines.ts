import { RUNTIME_KINDS } from '../../domain/experiment/experiment.js';
import { LlmxError } from '../../errors/llmx-error.js';
import type { ContainerEngine, ContainerRow, ImageRow } from '../../runtimes/containers/engine.js';
import { engineOf, isEngineKind } from '../../runtimes/containers/engines.js';
import { STATE_LABEL } from '../../runtimes/containers/names.js';
import type { Environment } from '../../support/paths.js';
import { whichProgram } from '../../support/which-program.js';
import type { EngineAnswer } from './target.js';

/** What one engine that answers has on disk. */
export interface EngineStock {
  readonly engine: ContainerEngine;
  readonly images: readonly ImageRow[];
  /** Of this state folder only. */
  readonly containers: readonly ContainerRow[];
  /** Null where there is none. */
  readonly cache: { readonly sizeBytes: number | null } | null;
}

export interface EnginesAsked {
  readonly answers: readonly EngineAnswer[];
  readonly stocks: readonly EngineStock[];
}

/** The client program of an engine that is not named after its kind. */
const PROGRAMS: Readonly<Record<string, string>> = { apple: 'container' };

/** All engines at once; one that is not there, or does not answer, does not keep the others back. */
export async function askEngines(env: Environment, stateId: string | null): Promise<EnginesAsked> {
  const engines = RUNTIME_KINDS.filter(isEngineKind).map((kind) => engineOf(kind));
  const asked = await Promise.all(engines.map((engine) => askEngine(engine, env, stateId)));
  return {
    answers: asked.map(({ answer }) => answer),
    stocks: asked.flatMap(({ stock }) => stock ?? []),
  };
}

async function askEngine(
  engine: ContainerEngine,
  env: Environment,
  stateId: string | null,
): Promise<{ readonly answer: EngineAnswer; readonly stock: EngineStock | null }> {
  const { kind } = engine;
  if ((await whichProgram(PROGRAMS[kind] ?? kind, env)) === null) {
    const hint = `install ${kind}, then: llmx-client doctor`;
    const answer = { engine: kind, state: 'not installed', reason: null, hint } as const;
    return { answer, stock: null };
  }
  try {
    const stock = await stockOf(engine, stateId);
    return { answer: { engine: kind, state: 'answers', reason: null, hint: null }, stock };
  } catch (error) {
    if (!(error instanceof LlmxError)) throw error;
    const reason = String(error.params['reason'] ?? error.message);
    const answer = { engine: kind, state: 'does not answer', reason, hint: error.hint } as const;
    return { answer, stock: null };
  }
}

async function stockOf(engine: ContainerEngine, stateId: string | null): Promise<EngineStock> {
  // The first call alone: where nobody answers, one wait is enough.
  const images = await engine.images();
  const [containers, cache] = await Promise.all([
    stateId === null ? [] : engine.containers({ [STATE_LABEL]: stateId }),
    engine.buildCache?.sizeBytes().then((sizeBytes) => ({ sizeBytes })) ?? null,
  ]);
  return { engine, images, containers, cache };
}
