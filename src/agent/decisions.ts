import type { ConfirmationRow, RunRow } from '../engine/rows.ts';
import { ask, type Program } from '../engine/statements.ts';
import { DetentError } from '../protocol/error.ts';
import type { Decision } from './run-view.ts';

/** Thrown inside a transaction to leave it: somebody was first. */
export class Decided extends Error {
  readonly verdict: string;

  constructor(verdict: string) {
    super(verdict);
    this.verdict = verdict;
  }
}

export function* openConfirmation(
  row: RunRow,
  call: number,
  kind: string,
  hash: string | undefined,
): Program<ConfirmationRow> {
  const found = yield* ask('findConfirmation', { run: row.pk, call });
  if (!found || found.kind !== kind) throw noCall(row.id, call);
  if (found.status !== 'open') throw new Decided(verdictOf(found));
  if (hash !== undefined && hash !== found.hash)
    throw new DetentError(
      'HASH_MISMATCH',
      `call c${call} of run ${row.id} has other arguments than those you saw; look again with "detent runs show ${row.id}"`,
      { details: { callId: `c${call}`, expected: found.hash, given: hash } },
    );
  return found;
}

export function verdictOf({ decision, status }: ConfirmationRow): string {
  return decision ? (JSON.parse(decision) as Decision).verdict : status;
}

export function noCall(runId: string, call: number): DetentError {
  return new DetentError(
    'NOT_FOUND',
    `run ${runId} asks nothing about call c${call}; see "detent runs show ${runId}"`,
    {
      details: { runId, callId: `c${call}` },
    },
  );
}

/** `c7`, `7` or 7 as 7. @throws DetentError `INVALID_CALL_ID`. */
export function callNumber(call: string | number): number {
  const match = /^c?(\d{1,9})$/.exec(String(call));
  if (!match)
    throw new DetentError(
      'INVALID_CALL_ID',
      `"${call}" is not a call id; "detent runs show RUN" lists them (c7)`,
    );
  return Number(match[1]);
}
