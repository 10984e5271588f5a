import {
  numberAt,
  objectAt,
  isObject,
  objectsAt,
  textAt,
  type JsonObject,
} from '../../domain/json-value.js';
import { listed } from '../transcript/figures.js';
import { known, sumKnown } from '../transcript/known.js';
import { Recent } from '../transcript/recent.js';

/** Written by the CLI itself, without a model. */
export const SYNTHETIC_MODEL = '<synthetic>';

interface Turn {
  readonly input_tokens: number;
  /** Left out unless the stream said it: in an assistant event it is only the count so far. */
  output_tokens?: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly context_tokens: number;
}

interface Tokens {
  readonly input: number;
  readonly output: number | null;
  readonly cacheCreation: number;
  readonly cacheRead: number;
}

const NO_TOKENS: Tokens = { input: 0, output: 0, cacheCreation: 0, cacheRead: 0 };

/**
 * Tokens and cost of one run. An answer comes as one assistant event for each content block, all with the
 * usage of its start: it counts once by message id. The result event has the run's totals of the main
 * thread; cost and usage by model include subagents, and on `--resume` the session before.
 */
export class ClaudeUsage {
  /** Of the main thread. */
  readonly turns: Turn[] = [];
  turnCount = 0;
  private readonly messages = new Recent<Turn | null>();
  private soFar: Tokens = NO_TOKENS;
  private openOutputs = 0;
  private ofResults: Tokens | null = null;
  private readonly byModel = new Map<string, Record<string, number>>();
  private sessionCostUsd: number | null = null;
  private runCostUsd: number | null = null;

  message(message: JsonObject, isMain: boolean): void {
    if (textAt(message, 'model') === SYNTHETIC_MODEL) return;
    const usage = objectAt(message, 'usage');
    const turn = usage === null ? null : turnOf(usage);
    if (!this.messages.isNew(textAt(message, 'id'), isMain ? turn : null) || !isMain) return;
    this.turnCount += 1;
    if (turn === null) return;
    listed(this.turns, turn);
    this.openOutputs += 1;
    this.soFar = {
      ...this.soFar,
      input: this.soFar.input + turn.input_tokens,
      cacheCreation: this.soFar.cacheCreation + turn.cache_creation_input_tokens,
      cacheRead: this.soFar.cacheRead + turn.cache_read_input_tokens,
    };
  }

  /** `message_delta` of `--include-partial-messages`: the real count of output tokens. */
  finishedMessage(id: string | null, usage: JsonObject | null): void {
    const output = numberAt(usage, 'output_tokens');
    const turn = id === null ? undefined : this.messages.get(id);
    if (turn == null || output === null) return;
    if (turn.output_tokens === undefined) this.openOutputs -= 1;
    const more = output - (turn.output_tokens ?? 0);
    this.soFar = { ...this.soFar, output: (this.soFar.output ?? 0) + more };
    turn.output_tokens = output;
  }

  result(event: JsonObject): void {
    const usage = objectAt(event, 'usage');
    if (usage !== null) this.ofResults = added(this.ofResults ?? NO_TOKENS, tokensOf(usage));
    this.sessionCostUsd = numberAt(event, 'total_cost_usd') ?? this.sessionCostUsd;
    const sinceLast = objectAt(event, 'model_usage_since_last_result');
    const models = Object.entries(sinceLast ?? objectAt(event, 'modelUsage') ?? {});
    // Without the part since the last result, each event has the session's whole.
    if (sinceLast === null) this.byModel.clear();
    for (const [model, each] of models) if (isObject(each)) this.addModel(model, each);
    const costs = models.map(([, each]) => numberAt(isObject(each) ? each : null, 'costUSD'));
    const cost = sinceLast === null ? null : sumKnown(costs);
    if (cost !== null) this.runCostUsd = (this.runCostUsd ?? 0) + cost;
  }

  figures(): Record<string, unknown> {
    const all = this.ofAllModels();
    const tokens = this.ofRun(all);
    return known({
      ...(tokens === null
        ? {}
        : {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cache_creation_input_tokens: tokens.cacheCreation,
            cache_read_input_tokens: tokens.cacheRead,
            total_input_tokens: tokens.input + tokens.cacheCreation + tokens.cacheRead,
          }),
      ...(all === null
        ? {}
        : {
            all_input_tokens: all.input + all.cacheCreation + all.cacheRead,
            all_output_tokens: all.output,
            model_usage: Object.fromEntries(this.byModel),
          }),
      ...this.cost(),
    });
  }

  /** A run that ends at its budget has a result with nothing but zeros; by model it is right even then. */
  private ofRun(all: Tokens | null): Tokens | null {
    const { ofResults } = this;
    if (ofResults === null) return this.untilCut();
    const isEmpty = Object.values(ofResults).every((tokens) => tokens === 0);
    return isEmpty ? (all ?? ofResults) : ofResults;
  }

  /** Subagents and helper models included. */
  private ofAllModels(): Tokens | null {
    if (this.byModel.size === 0) return null;
    return [...this.byModel.values()].map(tokensOf).reduce(added);
  }

  /** Of a run that was cut off before its result: what the answers said, output only where it was said. */
  private untilCut(): Tokens | null {
    if (this.turnCount === 0) return null;
    return { ...this.soFar, output: this.openOutputs === 0 ? this.soFar.output : null };
  }

  private cost(): Record<string, number | null> {
    const { runCostUsd, sessionCostUsd } = this;
    if (runCostUsd === null || sessionCostUsd === null) return { total_cost_usd: sessionCostUsd };
    // Sums of the same prices may differ in the last bits.
    const isResumed = sessionCostUsd - runCostUsd > 1e-9;
    return isResumed
      ? { total_cost_usd: runCostUsd, session_cost_usd: sessionCostUsd }
      : { total_cost_usd: sessionCostUsd };
  }

  private addModel(model: string, usage: JsonObject): void {
    const total = this.byModel.get(model) ?? {};
    for (const [key, name] of MODEL_USAGE_KEYS) {
      total[name] = (total[name] ?? 0) + (numberAt(usage, key) ?? 0);
    }
    this.byModel.set(model, total);
  }
}

const MODEL_USAGE_KEYS = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cacheCreationInputTokens', 'cache_creation_input_tokens'],
  ['cacheReadInputTokens', 'cache_read_input_tokens'],
  ['costUSD', 'cost_usd'],
] as const;

function tokensOf(usage: JsonObject): Tokens {
  const at = (key: string): number => numberAt(usage, key) ?? 0;
  return {
    input: at('input_tokens'),
    output: numberAt(usage, 'output_tokens'),
    cacheCreation: at('cache_creation_input_tokens'),
    cacheRead: at('cache_read_input_tokens'),
  };
}

function added(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: sumKnown([a.output, b.output]),
    cacheCreation: a.cacheCreation + b.cacheCreation,
    cacheRead: a.cacheRead + b.cacheRead,
  };
}

function turnOf(usage: JsonObject): Turn {
  const { input, cacheCreation, cacheRead } = tokensOf(usage);
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheCreation,
    cache_read_input_tokens: cacheRead,
    // Three prices for parts of one prompt: their sum is what the model had before it.
    context_tokens: input + cacheCreation + cacheRead,
  };
}

/** Content blocks of a message. */
export function blocksOf(message: JsonObject | null): readonly JsonObject[] {
  return objectsAt(message, 'content');
}
