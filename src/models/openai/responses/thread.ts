import type { PromptMessage } from '../../../ports/chat-model.ts';
import { historyHash, recall } from './replay.ts';

/** Where a request can go on. */
export interface Thread {
  /** Of the response that the server has kept. */
  id: string;
  /** What came after it, with the server's own ids of its calls. */
  messages: PromptMessage[];
}

/**
 * The last response in the conversation that the server has kept; null when there is none, when nothing came after it, or
 * when what came before it is no longer what it answered: a summary stands there now, or something was taken out.
 */
export function findThread(messages: readonly PromptMessage[], model: string): Thread | null {
  const place = messages.findLastIndex(
    (message) => message.role === 'assistant' && recall(message, model)?.thread !== undefined,
  );
  const answer = messages[place];
  if (answer?.role !== 'assistant' || place === messages.length - 1) return null;
  const thread = recall(answer, model)?.thread;
  if (!thread || thread.history !== historyHash(messages.slice(0, place), answer)) return null;
  const ids = new Map(answer.toolCalls.map((call, i) => [call.id, thread.callIds[i] ?? call.id]));
  return {
    id: thread.id,
    messages: messages.slice(place + 1).map((message) => {
      if (message.role !== 'tool') return message;
      return { ...message, toolCallId: ids.get(message.toolCallId) ?? message.toolCallId };
    }),
  };
}
