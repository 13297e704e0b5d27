import type { ChatModel, Thinking } from '../ports/chat-model.ts';

/** How a model is to think; what is left out is its provider's business. */
export interface ThinkingConfig {
  thinking?: Thinking;
  /** In the provider's words: `low`, `medium`, `high`, and whatever else it knows. */
  reasoningEffort?: string;
}

/** A model that is asked with these settings where a request has none of its own. */
export function withThinking(chat: ChatModel, { thinking, reasoningEffort }: ThinkingConfig): ChatModel {
  const settings = { ...(thinking && { thinking }), ...(reasoningEffort && { reasoningEffort }) };
  if (Object.keys(settings).length === 0) return chat;
  return { ...chat, generate: (request, options) => chat.generate({ ...settings, ...request }, options) };
}
