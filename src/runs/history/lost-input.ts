import { DetentError } from '../../protocol/error.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Decision, Question } from '../../store/stored-call.ts';
import { type CallInput, callName, whyModified } from '../../store/stored-call.ts';
import type { ToolBody } from '../../store/stored-message.ts';
import type { WholeStory } from '../story/read-story.ts';
import type { RunAt } from './rows-at.ts';

/**
 * The input of a call at an earlier transition, for a call that was settled since: its row no longer has the input.
 * Null for an effect that is no tool call.
 *
 * @throws DetentError `INPUT_NOT_STORED` when its arguments had a known secret, because the log does not have secrets.
 */
export function inputFromLog(row: RunRow, n: number, was: RunAt, { calls }: WholeStory): CallInput | null {
  const call = calls.get(n);
  if (!call) return null;
  // What a person was asked before the call began. An older version of Detent kept only the last question about a call.
  const [first] = call.questions;
  const { preview, version, question, key, asIs, decides }: Partial<Question> = first ?? {};
  const { arguments: changed, argumentsHash: hash = '', answer } = decisionOf(first, was, n);
  const { name, arguments: raw, why = '' } = call;
  const asked = { arguments: raw, why, hash: first?.hash ?? '' };
  const input: CallInput = {
    name,
    ...asked,
    ...(why.startsWith('guarded: ') && { guarded: true }),
    ...(preview !== undefined && { preview: { text: preview, ...(version !== undefined && { version }) } }),
    ...(question && key === undefined && { question }),
    ...(answer !== undefined && { answer }),
    ...(asIs === true && { asIs }),
    ...(decides && { decides }),
    ...(first?.kind === 'client' && clientsOwn(was.modified.has(n), call.result)),
    ...(changed !== undefined && { arguments: changed, why: whyModified, hash, modified: true, asked }),
  };
  if (`${input.arguments}${JSON.stringify(answer)}`.includes('[redacted:')) throw notStored(row, n, was);
  return input;
}

/** Of a client's own call, with its result, if it had given one by then, as the model read it. */
function clientsOwn(isGiven: boolean, result: ToolBody | null): Pick<CallInput, 'client' | 'result'> {
  if (!isGiven || !result) return { client: true };
  const { text, isError } = result;
  return { client: true, result: { text, ...(isError && { isError }) } };
}

/** What a person had decided about the call by then. Older databases may have another question in its row. */
function decisionOf(
  question: Question | undefined,
  was: RunAt,
  n: number,
): Pick<Decision, 'arguments' | 'argumentsHash' | 'answer'> {
  const then = was.confirmations.get(n)?.[0];
  const answer = then?.asked ? undefined : then?.decision?.answer;
  if (!question || question.kind === 'client' || !was.modified.has(n))
    return answer === undefined ? {} : { answer };
  const { arguments: shown, hash, decision } = question;
  return { arguments: decision?.arguments ?? shown, argumentsHash: decision?.argumentsHash ?? hash };
}

function notStored(row: RunRow, n: number, { seq }: RunAt): DetentError {
  return new DetentError(
    'INPUT_NOT_STORED',
    `run ${row.id} cannot be forked at seq ${seq}: call ${callName(n)} was open then, and its arguments had a secret, which is not stored; fork before the call was made, or after it`,
    { details: { runId: row.id, callId: callName(n), seq } },
  );
}
