import type { Thinking } from '../../ports/chat-model.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Cacheable } from './caching.ts';

/** Less is refused. */
const leastBudget = 1_024;

/**
 * The field that asks for thoughts, if the request can carry it: they are part of `max_tokens`, and with a budget the
 * wire refuses to think about results whose call was made without a thought, by another provider for instance.
 */
export function thinkingField(
  thinking: Thinking | null,
  maxTokens: number,
  messages: Cacheable['messages'],
): JsonObject {
  if (thinking === null) return {};
  if (thinking === 'adaptive') return { thinking: { type: 'adaptive' } };
  const budget = Math.min(thinking.budgetTokens, maxTokens - 1);
  if (budget < leastBudget || isThoughtless(messages)) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function isThoughtless(messages: Cacheable['messages']): boolean {
  const answersCalls = messages.at(-1)?.content.some(({ type }) => type === 'tool_result');
  const first = messages.at(-2)?.content[0]?.type;
  return answersCalls === true && first !== 'thinking' && first !== 'redacted_thinking';
}
