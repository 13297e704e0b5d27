import type { JsonObject } from '../../protocol/json.ts';

const mark = { cache_control: { type: 'ephemeral' } } as const;

/** The parts of a request, in the order of the provider's cache key. */
export interface Cacheable {
  tools: JsonObject[];
  system: JsonObject[];
  /** Messages whose content is a list of blocks. */
  messages: { role: 'user' | 'assistant'; content: JsonObject[] }[];
}

/**
 * Sets the four cache breakpoints that the wire allows: after the tools, after the system prompt, and on the user's last
 * two messages. The next request repeats everything up to the last one. The previous request ended at the second-to-last
 * one: its own breakpoint makes the cache find it even when the answer between them is long.
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
