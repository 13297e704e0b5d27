import type { JsonObject } from '../../protocol/json.ts';
import type { Quirks } from '../catalogue/quirks.ts';

/** Stands where a strict server wants an answer and there is none: the run was stopped, or a result has images behind it. */
const noAnswer = '(No answer yet.)';

/** Brings messages into the order that a server wants; see {@link Quirks.turns}. */
export function inTurns(messages: readonly JsonObject[], turns: Quirks['turns']): JsonObject[] {
  if (turns === 'free') return [...messages];
  const ordered: JsonObject[] = [];
  for (const message of messages) {
    const last = ordered.at(-1);
    const isUser = message.role === 'user';
    if (isUser && last?.role === 'tool') ordered.push({ role: 'assistant', content: noAnswer });
    if (isUser && last?.role === 'user' && turns === 'alternating')
      ordered.splice(-1, 1, { ...last, content: joined(last.content, message.content) });
    else ordered.push(message);
  }
  return ordered;
}

/** Content is text, or a list of parts where there are images. */
function joined(first: unknown, second: unknown): JsonObject['content'] {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [first, second].flatMap((content) =>
    Array.isArray(content) ? content : [{ type: 'text', text: String(content) }],
  );
}
