import { type ModelAnswer, noTokens } from '../../protocol/content.ts';
import { estimateTokens } from '../../protocol/ports.ts';

/**
 * An answer that broke off, with the tokens that its provider probably charges: what it reported before the break, and
 * an estimate of the rest. All other answers are returned unchanged.
 *
 * Most providers report usage with the last event; Anthropic reports the prompt with the first one.
 *
 * @param promptTokens estimated tokens of the prompt
 */
export function withCharge(answer: ModelAnswer, promptTokens: number): ModelAnswer {
  if (!answer.error || !hasBegun(answer)) return answer;
  const usage = answer.usage ?? noTokens;
  const outputTokens = usage.outputTokens || estimateTokens(received(answer));
  const inputTokens = usage.inputTokens || promptTokens;
  const isReported = inputTokens === usage.inputTokens && outputTokens === usage.outputTokens;
  return isReported ? answer : { ...answer, usage: { ...usage, inputTokens, outputTokens, estimated: true } };
}

/** Whether any word of an answer came: of its text, its reasoning, a refusal or a tool call. */
export function hasWords({ text, reasoning, refusal, toolCalls }: ModelAnswer): boolean {
  return text !== '' || reasoning !== '' || refusal !== '' || toolCalls.length > 0;
}

function hasBegun(answer: ModelAnswer): boolean {
  return answer.began === true || answer.usage !== null || hasWords(answer);
}

function received({ text, reasoning, refusal, toolCalls }: ModelAnswer): string {
  const calls = toolCalls.map((call) => `${call.name} ${call.arguments}`);
  return [reasoning, text, refusal, ...calls].filter((words) => words !== '').join('\n');
}
