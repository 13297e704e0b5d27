import type { MethodOutput } from '../protocol/methods/methods.ts';
import { callName } from '../records/call-id.ts';
import type { StoredMessage } from '../records/stored-message.ts';
import type { RunRow } from '../store/rows.ts';

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
): SessionMessage[] {
  const ids = new Map(runs.map(({ pk, id }) => [pk, id]));
  const names = new Map<string, string>();
  for (const { run, role, body } of messages)
    if (role === 'assistant')
      for (const { callId, name } of body.toolCalls) names.set(`${run} ${callId}`, name);
  return messages.filter(isPartOfConversation).map((message) => {
    const { run, seq, at } = message;
    return {
      role: message.role,
      ...said(message, names),
      at,
      runId: ids.get(run) ?? '',
      seq,
      inPrompt: run > head.run || (run === head.run && seq >= head.seq),
    };
  });
}

type Withdrawn = Extract<StoredMessage, { role: 'withdrawn' }>;

function isPartOfConversation(message: StoredMessage): message is Exclude<StoredMessage, Withdrawn> {
  const { role, body } = message;
  return role !== 'withdrawn' && (role !== 'summary' || body.text !== '');
}

function said({ run, role, body }: Exclude<StoredMessage, Withdrawn>, names: ReadonlyMap<string, string>) {
  if (role === 'assistant') {
    const toolCalls = body.toolCalls.map(({ callId, name, arguments: raw }) => ({
      callId: callName(callId),
      name,
      arguments: raw,
    }));
    return { text: body.text || body.refusal, ...(toolCalls.length > 0 && { toolCalls }) };
  }
  const attachments = 'parts' in body && body.parts ? { attachments: body.parts } : {};
  if (role !== 'tool') return { text: body.text, ...attachments };
  const { callId, text, status } = body;
  return {
    text,
    ...attachments,
    callId: callName(callId),
    name: names.get(`${run} ${callId}`) ?? '',
    status,
  };
}
