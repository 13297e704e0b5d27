import type { PromptMessage } from '../../../ports/chat-model.ts';
import { historyHash, recall } from './replay.ts';

/** A stored response after which a request can begin, and the messages since. */
interface Thread {
  /** The id of the stored response. */
  id: string;
  /** The messages after it, with the server's own ids of its calls. */
  messages: PromptMessage[];
}

/**
 * The last response of the conversation that the server has stored. Null when there is none, when no message came after
 * it, or when the conversation before it has changed since: a compaction replaced it, or something was removed.
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
