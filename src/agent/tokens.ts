import type { PromptMessage, ToolSpec } from './chat-model.ts';

/** Tokens that every message costs besides its text. */
const perMessage = 4;

/**
 * About how many tokens a text is: four ASCII characters a token, one for any other character, since Chinese,
 * Japanese and emoji take about one each.
 */
export function estimateTokens(text: string): number {
  let other = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) other++;
  return Math.ceil((text.length - other) / 4 + other);
}

function estimateMessage(message: PromptMessage): number {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return calls.reduce(
    (sum, call) => sum + estimateTokens(call.name + call.arguments) + perMessage,
    estimateTokens(message.text) + perMessage,
  );
}

export function estimatePrompt(messages: readonly PromptMessage[], tools: readonly ToolSpec[]): number {
  const spoken = messages.reduce((sum, message) => sum + estimateMessage(message), 0);
  return spoken + (tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0);
}
