import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import { callName, isOpen, noCall, type Question } from '../../store/stored-call.ts';
import { ask } from '../rows/statements.ts';
import { type ConfirmDecision, checkVerdict, newestQuestion } from './decisions.ts';

export interface Claim {
  /** Of an app on a device, in its own words. */
  installation: string;
  /** How long the claim holds. */
  holdMs: number;
}

/**
 * An installation takes a call that the caller of the run performs. A claim of the same installation begins anew.
 *
 * @returns until when it holds, in milliseconds since the epoch
 * @throws DetentError `NOT_FOUND`, `WRONG_VERDICT` for a call of another kind, `NOT_WAITING`, `CALL_CLAIMED`.
 */
export function* claimCall(
  row: RunRow,
  call: number,
  { installation: holder, holdMs }: Claim,
  now: number,
): Program<number> {
  const found = yield* openCall(row, call);
  refuseHeld(row, found, { verdict: 'result', installation: holder }, now);
  const until = now + holdMs;
  if ((yield* ask('holdCall', { run: row.pk, call, holder, until, now })) === 0) throw claimed(row, found);
  return until;
}

/** @returns false if the installation does not hold the call @throws DetentError `NOT_FOUND`, `WRONG_VERDICT`. */
export function* releaseCall(row: RunRow, call: number, holder: string): Program<boolean> {
  const found = yield* newestQuestion(row.pk, call, 'confirm');
  if (!found) throw noCall(row.id, call);
  checkVerdict(row.id, found, 'result');
  return (yield* ask('releaseCall', { run: row.pk, call, holder })) > 0;
}

function* openCall(row: RunRow, call: number): Program<Question> {
  const found = yield* newestQuestion(row.pk, call, 'confirm');
  if (!found) throw noCall(row.id, call);
  checkVerdict(row.id, found, 'result');
  if (!row.ended && isOpen(found)) return found;
  throw new DetentError(
    'NOT_WAITING',
    `call ${callName(call)} of run ${row.id} has its result, or needs none`,
  );
}

/**
 * Refuses the result of a call that another installation performs. Without a result the call is closed by its holder, and by who may
 * approve.
 *
 * @throws DetentError `CALL_CLAIMED`.
 */
export function refuseHeld(
  row: RunRow,
  question: Question,
  decision: Pick<ConfirmDecision, 'verdict' | 'mayApprove'> & { installation?: string },
  now: number,
): void {
  const { held } = question;
  const { verdict, installation, mayApprove = true } = decision;
  if (!held || held.until <= now || held.by === installation) return;
  if (verdict === 'reject' && mayApprove) return;
  throw claimed(row, question);
}

function claimed({ id }: RunRow, { call, held }: Question): DetentError {
  return new DetentError(
    'CALL_CLAIMED',
    `another device performs call ${callName(call)} of run ${id}: wait for its result, or claim the call when the time of that one is over`,
    { retryable: true, details: { callId: callName(call), ...(held && { until: held.until }) } },
  );
}
