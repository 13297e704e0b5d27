import type { Clock } from '../../engine/clock.ts';
import type { ChatModel, GenerateOptions, ModelRequest } from '../../ports/chat-model.ts';
import { TokenWeights } from '../../ports/tokens.ts';
import { type ModelAnswer, type ModelErrorKind, unanswered } from '../../protocol/answer.ts';
import { createLimiter } from '../../text/limiter.ts';
import { modelError } from '../wire/model-error.ts';
import { type BreakerConfig, Breakers, type Health } from './breaker.ts';
import { type Reservation, TokenRate } from './token-rate.ts';

/** Bounds of all calls of one process to one provider. */
export interface ProviderLimits {
  /** Calls at once; a call lasts until its answer is complete. */
  maxConcurrent?: number;
  /** Tokens in and out of the calls that begin within any one minute. */
  tokensPerMinute?: number;
}

export interface GuardOptions {
  breaker: BreakerConfig;
  /** By the provider's name. */
  limits: Readonly<Record<string, ProviderLimits>>;
  clock: Clock;
}

/** Puts limits and a circuit breaker around a provider. */
export interface Guard {
  /**
   * @param provider whose limits are kept
   * @param connection tells servers of one provider apart: each model at each has a breaker of its own
   */
  around(chat: ChatModel, provider: string, connection: string): ChatModel;
}

/** What an answer is assumed to take when no output limit is sent; the counted usage corrects it. */
const assumedOutputTokens = 4_096;

/** Failures that say that the provider is not well. A limit of rate says only that we ask too much. */
const illnesses: ReadonlySet<ModelErrorKind> = new Set(['overloaded', 'server', 'timeout', 'network']);

export function createGuard({ breaker, limits, clock }: GuardOptions): Guard {
  const breakers = new Breakers(breaker, clock);
  const places = createLimiter(numbers(limits, 'maxConcurrent'));
  const rates = new Map(
    Object.entries(numbers(limits, 'tokensPerMinute')).map(([name, perMinute]) => [
      name,
      new TokenRate(perMinute, clock),
    ]),
  );

  const weights = new TokenWeights();

  const generate = async (
    { chat, provider, connection }: { chat: ChatModel; provider: string; connection: string },
    request: ModelRequest,
    options: GenerateOptions,
  ): Promise<ModelAnswer> => {
    const key = `${connection} ${request.model}`;
    const open = () =>
      circuitOpen(`${provider}/${request.model}`, request.model, breakers.waitMs(key), breaker);
    if (breakers.waitMs(key) > 0) return open();
    const { signal } = options;
    let leave = () => {};
    let reserved: Reservation | undefined;
    try {
      leave = await places.acquire(provider, signal);
      reserved = await rates.get(provider)?.take(estimate(request, weights), signal);
    } catch (reason) {
      leave();
      if (!signal.aborted) throw reason;
      const message = `The call to ${provider}/${request.model} was cancelled while it waited for its turn.`;
      return unanswered(request.model, modelError('aborted', message));
    }
    // The circuit may have opened while the call waited.
    const pass = breakers.enter(key);
    try {
      const answer = pass ? await chat.generate(request, options) : open();
      pass?.settle(healthOf(answer));
      const used = usedBy(answer);
      if (used !== null) reserved?.correct(used);
      return answer;
    } finally {
      pass?.settle('unknown');
      leave();
    }
  };

  return {
    around: (chat, provider, connection) => ({
      ...(chat.price && { price: chat.price }),
      generate: (request, options) => generate({ chat, provider, connection }, request, options),
    }),
  };
}

function numbers(
  limits: GuardOptions['limits'],
  field: keyof ProviderLimits,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, { [field]: limit }]) =>
      limit === undefined ? [] : [[name, limit]],
    ),
  );
}

function estimate(
  { messages, tools, maxOutputTokens = assumedOutputTokens }: ModelRequest,
  weights: TokenWeights,
): number {
  return weights.ofPrompt(messages, tools) + maxOutputTokens;
}

/** Tokens that a call took; null when nobody knows, and the estimate stands. */
function usedBy({ usage, error, ...said }: ModelAnswer): number | null {
  if (usage) return usage.inputTokens + usage.outputTokens;
  return error && isEmpty(said) ? 0 : null;
}

function isEmpty(said: Pick<ModelAnswer, 'text' | 'reasoning' | 'refusal' | 'toolCalls'>): boolean {
  return said.text === '' && said.reasoning === '' && said.refusal === '' && said.toolCalls.length === 0;
}

function healthOf({ error }: ModelAnswer): Health {
  if (!error) return 'well';
  return illnesses.has(error.kind) ? 'ill' : 'unknown';
}

function circuitOpen(
  name: string,
  model: string,
  retryAfterMs: number,
  { failures }: BreakerConfig,
): ModelAnswer {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const message = `${name} failed ${failures} ${failures === 1 ? 'time' : 'times in a row'}, so it is left alone for another ${seconds} s. Wait, or use another model.`;
  return unanswered(
    model,
    modelError('overloaded', message, { code: 'MODEL_CIRCUIT_OPEN', retryAfterMs: Math.ceil(retryAfterMs) }),
  );
}
