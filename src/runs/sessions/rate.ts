import { noteEffect } from '../../engine/commit.ts';
import { nameOfPerson } from '../../protocol/access.ts';
import { thumbs } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { oneOf, refuseUnknownFields, shown } from '../../protocol/json.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Program } from '../../store/program.ts';
import type { MessageRow, RunRow } from '../../store/rows.ts';
import { type AssistantBody, parseMessage } from '../../store/stored-message.ts';
import type { OfRequest } from '../rows/keyed-requests.ts';
import { ask } from '../rows/statements.ts';
import { findIn } from './end-session.ts';

/** What a user says of one answer. */
export interface NewRating extends OfRequest {
  /** The run that gave the answer, or the takeover in which the staff did. */
  runId: string;
  /** The message of that run, by its `seq`. Default: its last answer. */
  messageSeq?: number | undefined;
  thumb: 'up' | 'down';
  /** At most 2,000 characters. */
  reason?: string | undefined;
  /** Who says so, as decisions name people. Default: the user of the session. */
  by?: string | undefined;
}

const maxReason = 2_000;

/** Keeps what the user of a session says of an answer. @throws DetentError `NOT_FOUND`, `NOT_THE_USER`, `INVALID_ARGUMENTS`. */
export function* rate(
  tenant: number,
  key: string,
  { runId, messageSeq, thumb, reason, by, requestId, ...others }: NewRating,
  { at, redact }: { at: number; redact(text: string): string },
): Program<MethodOutput<'session.rate'>> {
  refuseUnknownFields(
    others,
    ['runId', 'messageSeq', 'thumb', 'reason', 'by', 'tenantId'],
    'a rating',
    'INVALID_ARGUMENTS',
  );
  oneOf(thumb, thumbs, 'a thumb', 'INVALID_ARGUMENTS');
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > maxReason))
    throw new DetentError(
      'INVALID_ARGUMENTS',
      `reason is a text of at most ${maxReason} characters, not ${shown(reason)}`,
    );
  const { pk: session, user } = yield* findIn(tenant, key);
  const self = user === null ? undefined : nameOfPerson(user);
  if (self !== undefined && by !== undefined && by !== self)
    throw new DetentError('NOT_THE_USER', `only the user of session "${key}" can rate its answers`, {
      details: { sessionId: key },
    });
  const run = yield* ask('loadRun', { tenant, id: runId });
  const answer = run?.session === session ? yield* answerOf(run, messageSeq) : undefined;
  if (!run || !answer)
    throw new DetentError('NOT_FOUND', `session "${key}" has no such answer`, {
      details: { sessionId: key, runId, ...(messageSeq !== undefined && { seq: messageSeq }) },
    });
  const words = reason ? redact(reason) : null;
  const { seq } = answer;
  yield* ask('putRating', {
    run: run.pk,
    seq,
    tenant,
    session,
    thumb,
    reason: words,
    by: by ?? self ?? 'program',
    at,
  });
  const done = { runId, messageSeq: seq, thumb };
  yield* noteEffect(tenant, requestId, done);
  return done;
}

/** An answer of a run that its user reads: the last one, or that of a transition. */
function* answerOf(
  { pk, session, seq: upTo }: RunRow,
  seq: number | undefined,
): Program<MessageRow | undefined> {
  const from = { session, run: pk, seq: 0, i: -1, upTo };
  const rows = yield* ask('pageMessagesOfRun', from);
  return rows.filter((row) => isAnswer(row) && (seq === undefined || row.seq === seq)).at(-1);
}

function isAnswer(row: MessageRow): boolean {
  if (row.role === 'staff') return true;
  if (row.role !== 'assistant') return false;
  const { text, refusal } = parseMessage(row).body as AssistantBody;
  return text !== '' || refusal !== '';
}
