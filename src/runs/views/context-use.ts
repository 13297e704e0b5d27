import { contextBudget } from '../../agent/model-call.ts';
import { readMessages } from '../../engine/log.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Endpoint, ResolvedModel } from '../../protocol/ports.ts';
import type { RunRow } from '../../store/rows.ts';
import { type AssistantBody, parseMessage } from '../../store/stored-message.ts';
import { optionsOf } from '../../store/stored-run.ts';
import type { Store } from '../rows/statements.ts';

/** How full the window of a model was at an answer. All figures are tokens. */
export type ContextUse = NonNullable<MethodOutput<'run.context'>['context']>;

type Sizes = Pick<ResolvedModel, 'contextWindow' | 'maxOutputTokens'>;

/**
 * How full the window of the run's model was at its newest answer; null before the first one, for answers without a count, and for
 * models that the configuration does not know any more.
 */
export async function contextUse(
  store: Store,
  row: RunRow,
  sizesOf: (model: string, endpoint: Endpoint | null) => Sizes,
): Promise<ContextUse | null> {
  let last: AssistantBody | null = null;
  for await (const message of readMessages(store, row)) {
    const { role, body } = parseMessage(message);
    if (role === 'assistant' && body.usage) last = body;
  }
  if (!last?.usage) return null;
  const { context, endpoint } = optionsOf(row);
  const { provider: model, usage } = last;
  try {
    const sizes = sizesOf(model, endpoint);
    // The provider's own count needs no calibration.
    const { pruneAt, compactAt } = contextBudget(sizes, context, { ratio: 1, window: null, room: null });
    return {
      model,
      tokens: usage.inputTokens + usage.outputTokens,
      window: sizes.contextWindow,
      pruneAt: Math.round(pruneAt),
      compactAt: Math.round(compactAt),
    };
  } catch (error) {
    // The model or its key is not configured any more.
    if (DetentError.is(error)) return null;
    throw error;
  }
}
