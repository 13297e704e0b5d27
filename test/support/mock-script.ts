import type { MockAnswer } from './mock-answer.ts';

/** A message of a chat-completions request, as far as scripts look at it. */
interface MockMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface MockRequest {
  headers: Record<string, string | string[] | undefined>;
  body: {
    model: string;
    stream?: boolean;
    messages: MockMessage[];
    tools?: { function: { name: string } }[];
    [key: string]: unknown;
  };
}

/** An answer, or what successive tries of the same request get; the last one stays. */
export type MockSlot = MockAnswer | MockAnswer[];

/** What follows a message of the user: one slot for each model call. */
interface MockTurn {
  /** Text that the last message of the user holds; without it any. */
  when?: string;
  answers: MockSlot[];
}

/**
 * What the provider says.
 *
 * `sequence`: the n-th request gets the n-th slot. `turns`: the first turn whose `when` fits the last message of the
 * user, and in it the slot of as many answers as there are behind that message. The second needs no memory, so it goes
 * on where it was when its client dies and comes back.
 */
export type MockScript = { sequence: MockSlot[] } | { turns: MockTurn[] };

/** Chooses the slot of a request; null when the script has nothing for it. */
export function slotOf(script: MockScript, request: MockRequest, count: number): MockSlot | null {
  if ('sequence' in script) return script.sequence[count] ?? null;
  const { messages } = request.body;
  const last = messages.findLastIndex((message) => message.role === 'user');
  const said = textOf(messages[last]);
  const turn = script.turns.find(({ when }) => when === undefined || said.includes(when));
  const answered = messages.slice(last + 1).filter((message) => message.role === 'assistant').length;
  return turn?.answers[answered] ?? null;
}

/** The text of a message, whether its content is a string or parts. */
export function textOf(message: MockMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
