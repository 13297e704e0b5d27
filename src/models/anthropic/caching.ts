import type { JsonObject } from '../../protocol/json.ts';

const mark = { cache_control: { type: 'ephemeral' } } as const;

/** The parts of a request, in the order in which the cache reads them. */
export interface Cacheable {
  tools: JsonObject[];
  system: JsonObject[];
  /** Messages whose content is a list of blocks. */
  messages: { role: 'user' | 'assistant'; content: JsonObject[] }[];
}

/**
 * Marks what the next request will begin with again: tools, system prompt, and the conversation as far as the user's last
 * message. The message of the user before is where the request before ended; marked as well, it is found in the cache
 * even when an answer between them is long. These are the four marks that the wire allows.
 *
 * @see https://docs.claude.com/en/docs/build-with-claude/prompt-caching
 */
export function withCacheMarks({ tools, system, messages }: Cacheable): Cacheable {
  const marked = messages.flatMap(({ role }, i) => (role === 'user' ? [i] : [])).slice(-2);
  return {
    tools: markLast(tools),
    system: markLast(system),
    messages: messages.map((message, i) =>
      marked.includes(i) ? { ...message, content: markLast(message.content) } : message,
    ),
  };
}

function markLast(blocks: JsonObject[]): JsonObject[] {
  return blocks.map((block, i) => (i === blocks.length - 1 ? { ...block, ...mark } : block));
}
