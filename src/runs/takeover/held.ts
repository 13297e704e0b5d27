import { pathOf } from '../../engine/machine.ts';
import { DetentError } from '../../protocol/error.ts';
import type { MethodOutput } from '../../protocol/methods.ts';
import type { Program } from '../../store/program.ts';
import type { RunRow } from '../../store/rows.ts';
import { takeoverContextOf, takeoverOptionsOf } from '../../store/stored-run.ts';
import { ask } from '../rows/statements.ts';

/** For what must wait until the session is given back. @throws DetentError `TAKEN_OVER`. */
export function* refuseTakenOver(session: number, key: string): Program<void> {
  const row = yield* ask('findTakeover', { session });
  if (row) throw heldByStaff(key, row.id);
}

export function heldByStaff(key: string, runId: string): DetentError {
  return new DetentError(
    'TAKEN_OVER',
    `a person of the staff has taken session "${key}" over: try again once they have given it back`,
    { details: { sessionId: key, runId } },
  );
}

/** What readers of a session know of its takeover. */
export function takenOverView(row: RunRow): NonNullable<MethodOutput<'session.get'>['takenOver']> {
  const { by, since } = takeoverContextOf(row);
  const { reason, summary } = takeoverOptionsOf(row);
  return {
    runId: row.id,
    state: pathOf(JSON.parse(row.state)) === 'taken' ? 'taken' : 'waiting',
    since: since || row.createdAt,
    ...(by !== null && { by }),
    ...(reason !== undefined && { reason }),
    ...(summary !== undefined && { summary }),
  };
}
