import type { ChatModel, Thinking } from '../protocol/ports.ts';

/** How the model should think. The provider decides what is left out. */
export interface ThinkingConfig {
  thinking?: Thinking;
  /** One of the provider's own values: `low`, `medium`, `high` or another one that it knows. */
  reasoningEffort?: string;
}

/** Wraps a model: requests without thinking settings of their own get these. */
export function withThinking(chat: ChatModel, { thinking, reasoningEffort }: ThinkingConfig): ChatModel {
  const settings = { ...(thinking && { thinking }), ...(reasoningEffort && { reasoningEffort }) };
  if (Object.keys(settings).length === 0) return chat;
  return { ...chat, generate: (request, options) => chat.generate({ ...settings, ...request }, options) };
}
