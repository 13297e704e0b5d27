import type { AnswerCall } from '../../../machines/run.types.ts';
import type { EventRow, MessageRow } from '../../store/rows.ts';
import { isClearing, parseMessage, type StoredMessage } from '../../store/stored-message.ts';

/** A difference between the conversation and the log. */
export interface MessageDivergence {
  seq: number;
  what: 'message';
  field: string;
  stored: string;
  folded: string;
}

/**
 * The first message that does not fit its transition. The log has no hash of a message's text. It has the message's
 * existence, its calls, its token cost, and the call of each result.
 *
 * @param rows the messages that were written with the transition.
 */
export function againstMessages(
  { seq, type, body }: EventRow,
  rows: readonly MessageRow[],
): MessageDivergence | null {
  const here = rows.filter((row) => row.seq === seq).map(parseMessage);
  const differs = (field: string, stored: string, folded: string): MessageDivergence | null =>
    stored === folded ? null : { seq, what: 'message', field, stored, folded };
  const event = JSON.parse(body) as {
    effectId: number;
    calls: AnswerCall[];
    text: boolean;
    cost: Cost;
    nothing?: boolean;
    partial?: boolean;
  };
  return (
    (type === 'model.done' && answerDiffers(here, event, differs)) ||
    (event.partial === true && brokenAnswerDiffers(here, event, differs)) ||
    ((type === 'tool.done' || type === 'tool.failed') &&
      differs(
        'result',
        resultOf(here, event.effectId),
        `c${event.effectId} ${type === 'tool.done' ? 'done' : 'failed'}`,
      )) ||
    (type === 'run.message' && differs('user', rolesOf(here, 'user'), '1')) ||
    (type === 'compact.done' && differs('summary', rolesOf(here, 'summary'), event.nothing ? '0' : '1')) ||
    null
  );
}

interface Cost {
  inputTokens: number;
  outputTokens: number;
}

type Differs = (field: string, stored: string, folded: string) => MessageDivergence | null;

function answerDiffers(
  here: readonly StoredMessage[],
  { effectId, calls, text, cost }: { effectId: number; calls: AnswerCall[]; text: boolean; cost: Cost },
  differs: Differs,
): MessageDivergence | null {
  const answer = here.find(({ role }) => role === 'assistant');
  if (answer?.role !== 'assistant') return differs('assistant', 'none', `answer of effect ${effectId}`);
  const { body } = answer;
  return (
    differs('effectId', String(body.effectId), String(effectId)) ??
    differs('text', body.text.trim() === '' ? 'none' : 'some', text ? 'some' : 'none') ??
    differs('toolCalls', ids(body.toolCalls), ids(calls)) ??
    differs('usage', tokens(body.usage), tokens(cost))
  );
}

/** The words of a failed call, whether they were withdrawn or stay as the run's last answer. */
function brokenAnswerDiffers(
  here: readonly StoredMessage[],
  { effectId, cost }: { effectId: number; cost: Cost },
  differs: Differs,
): MessageDivergence | null {
  const answer = here.find(({ role }) => role === 'withdrawn' || role === 'assistant');
  if (answer?.role !== 'withdrawn' && answer?.role !== 'assistant')
    return differs('withdrawn', 'none', `broken answer of effect ${effectId}`);
  const { body } = answer;
  return (
    differs('effectId', String(body.effectId), String(effectId)) ??
    differs('usage', tokens(body.usage), tokens(cost))
  );
}

function ids(calls: readonly { callId: number }[]): string {
  return calls.map(({ callId }) => `c${callId}`).join(' ');
}

function tokens(cost: Cost | null): string {
  return `${cost?.inputTokens ?? 0} in, ${cost?.outputTokens ?? 0} out`;
}

function resultOf(here: readonly StoredMessage[], callId: number): string {
  const result = here.find((message) => message.role === 'tool' && message.body.callId === callId);
  return result?.role === 'tool' ? `c${callId} ${result.body.isError ? 'failed' : 'done'}` : 'none';
}

function rolesOf(here: readonly StoredMessage[], role: StoredMessage['role']): string {
  return String(here.filter((message) => message.role === role && !isClearing(message)).length);
}
