import type { Clock } from '../../engine/clock.ts';
import { type ModelAnswer, type ModelErrorKind, unanswered } from '../../protocol/content.ts';
import {
  type ChatModel,
  type GenerateOptions,
  type ModelRequest,
  TokenWeights,
} from '../../protocol/ports.ts';
import { modelErrorText } from '../../protocol/views.ts';
import { createLimiter } from '../../text/limiter.ts';
import { modelError } from '../wire/model-error.ts';
import { type BreakerConfig, Breakers, type Health } from './breaker.ts';
import { type Reservation, TokenRate } from './token-rate.ts';

/** Limits of all calls of one process to one provider. */
export interface ProviderLimits {
  /** Maximum concurrent calls; a call lasts until its answer is complete. */
  maxConcurrent?: number;
  /** Maximum input and output tokens of the calls that begin within any one minute. */
  tokensPerMinute?: number;
}

interface GuardOptions {
  breaker: BreakerConfig;
  /** By the provider's name. */
  limits: Readonly<Record<string, ProviderLimits>>;
  clock: Clock;
}

/** Puts limits and a circuit breaker around a provider. */
interface Guard {
  /**
   * @param provider the provider whose limits apply
   * @param connection identifies the server: each model at each server has its own breaker
   */
  around(chat: ChatModel, provider: string, connection: string): ChatModel;
}

/** Tokens reserved for an answer without an output limit; the counted usage corrects the reservation. */
const assumedOutputTokens = 4_096;

/** Failures that count against the provider's health. A rate limit does not: it says that we send too much. */
const unhealthyKinds: ReadonlySet<ModelErrorKind> = new Set(['overloaded', 'server', 'timeout', 'network']);

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
      const message = modelErrorText('model_cancelled_waiting', { model: `${provider}/${request.model}` });
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

/** Tokens that a call used; null when the provider reported none, so that the estimate stays. */
function usedBy({ usage, error, ...said }: ModelAnswer): number | null {
  if (usage) return usage.inputTokens + usage.outputTokens;
  return error && isEmpty(said) ? 0 : null;
}

function isEmpty(said: Pick<ModelAnswer, 'text' | 'reasoning' | 'refusal' | 'toolCalls'>): boolean {
  return said.text === '' && said.reasoning === '' && said.refusal === '' && said.toolCalls.length === 0;
}

function healthOf({ error }: ModelAnswer): Health {
  if (!error) return 'healthy';
  return unhealthyKinds.has(error.kind) ? 'unhealthy' : 'unknown';
}

function circuitOpen(
  name: string,
  model: string,
  retryAfterMs: number,
  { failures }: BreakerConfig,
): ModelAnswer {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  const message = modelErrorText('model_circuit_open', { model: name, failures, seconds });
  return unanswered(
    model,
    modelError('overloaded', message, { code: 'MODEL_CIRCUIT_OPEN', retryAfterMs: Math.ceil(retryAfterMs) }),
  );
}
