import type { MethodOutput } from '../../protocol/methods.ts';
import type { Row, RunRow } from '../../store/rows.ts';
import { callName } from '../../store/stored-call.ts';
import type { StoredMessage } from '../../store/stored-message.ts';
import { Story } from './story.ts';

export type SessionMessage = MethodOutput<'session.get'>['conversation'][number];

/**
 * The messages of a session that people see.
 *
 * @param head where the prompt begins, by the key of the run in the store
 */
export function conversationOf(
  runs: readonly Pick<RunRow, 'pk' | 'id'>[],
  messages: readonly StoredMessage[],
  head: { run: number; seq: number },
  ratings: readonly Row<'ratings'>[] = [],
): SessionMessage[] {
  const rated = new Map(ratings.map((row) => [`${row.run} ${row.seq}`, row]));
  const ids = new Map(runs.map(({ pk, id }) => [pk, id]));
  const story = new Story();
  return messages.flatMap((message): SessionMessage[] => {
    const { run, seq, at } = message;
    const told = story.say(message);
    const { role, body } = told;
    if (role === 'withdrawn' || (role === 'summary' && body.text === '')) return [];
    const inPrompt = run > head.run || (run === head.run && seq >= head.seq);
    const author = role === 'staff' ? ({ role: 'assistant', from: 'staff' } as const) : { role };
    return [
      {
        ...author,
        ...shown(told),
        at,
        runId: ids.get(run) ?? '',
        seq,
        inPrompt,
        ...ratingOf(rated.get(`${run} ${seq}`)),
      },
    ];
  });
}

function ratingOf(row: Row<'ratings'> | undefined): Pick<SessionMessage, 'rating'> {
  return row ? { rating: ratingView(row) } : {};
}

/** What the user said of an answer. */
export function ratingView({ thumb, reason, by, at }: Row<'ratings'>): NonNullable<SessionMessage['rating']> {
  return { thumb, ...(reason !== null && { reason }), by, at };
}

function shown(told: ReturnType<Story['say']>) {
  if (told.role === 'assistant') {
    const { text, refusal, toolCalls: calls } = told.body;
    const toolCalls = calls.map(({ callId, name, arguments: raw }) => ({
      callId: callName(callId),
      name,
      arguments: raw,
    }));
    return { text: text || refusal, ...(toolCalls.length > 0 && { toolCalls }) };
  }
  if (told.role === 'staff') {
    const { text, name, by } = told.body;
    return { text, ...(name !== undefined && { name }), by };
  }
  const { body } = told;
  const said = { text: body.text, ...('parts' in body && body.parts && { attachments: body.parts }) };
  if (told.role !== 'tool') return said;
  const { callId, status } = told.body;
  return { ...said, callId: callName(callId), name: told.call?.name ?? '', status };
}
