import type { EngineStock } from './ask-engines.js';
import type { Target } from './target.js';

/** Build caches, each as one thing: engines don't tell what in it came from llmx. */
export function builderTargets(stocks: readonly EngineStock[]): readonly Target[] {
  return stocks.flatMap(({ engine, cache }): Target[] => {
    const { buildCache, kind } = engine;
    if (cache === null || buildCache === undefined || cache.sizeBytes === 0) return [];
    return [
      {
        kind: 'builder',
        what: 'build cache',
        name: `build cache of ${kind}`,
        engine: kind,
        sizeBytes: cache.sizeBytes,
        note: 'of all builds on this engine; the next build fills it again',
        kept: null,
        remove: async () => {
          await buildCache.clear();
          return null;
        },
      },
    ];
  });
}
