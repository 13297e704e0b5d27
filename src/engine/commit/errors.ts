import { DetentError } from '../../protocol/error.ts';
import type { Program } from '../../store/program.ts';
import type { LeavingRow, RunRow } from '../../store/rows.ts';
import { ask } from './statements.ts';

/** Thrown inside a transaction to leave it, for the sake of a run. */
export class LeftFor extends Error {
  readonly row: RunRow;

  constructor(row: RunRow) {
    super(row.id);
    this.row = row;
  }
}

export function fenced(runId: string): DetentError {
  return new DetentError(
    'FENCED',
    `run ${runId} was taken over by another driver, so this one stopped its work on it; see "detent runs show ${runId}"`,
    { details: { runId } },
  );
}

export function closed(): DetentError {
  return new DetentError('CLOSED', 'this Detent was closed; create a new one');
}

export function notFound(runId: string): DetentError {
  return new DetentError('NOT_FOUND', `no run "${runId}"; see "detent runs list"`, { details: { runId } });
}

/**
 * A session that belongs to a user takes runs for that user alone; one of no user takes those of everybody.
 *
 * @throws DetentError `SESSION_OF_ANOTHER_USER`, which does not name the owner.
 */
export function refuseOtherUsers(session: { user: string | null }, key: string, user: string | null): void {
  if (session.user === null || session.user === user) return;
  throw new DetentError(
    'SESSION_OF_ANOTHER_USER',
    `session "${key}" belongs to ${user === null ? 'a user, and this run names none' : 'another user'}; use another session, or name its user as principal.userId`,
    { details: { sessionId: key } },
  );
}

/**
 * Nothing new begins for a user who went over to another one, or is being forgotten.
 *
 * @throws DetentError `USER_CLAIMED`, `USER_FORGOTTEN`.
 */
export function* refuseLeaving(tenant: number, user: string | null): Program<void> {
  const leaving = user === null ? undefined : yield* ask('findLeaving', { tenant, user });
  if (leaving) throw leavingUser(leaving);
}

export function leavingUser({ user, toUser }: LeavingRow): DetentError {
  const details = { userId: user };
  return toUser === null
    ? new DetentError(
        'USER_FORGOTTEN',
        `Detent is deleting the data of user "${user}": "detent users forget" says what is left`,
        {
          details,
          retryable: true,
        },
      )
    : new DetentError(
        'USER_CLAIMED',
        `guest "${user}" was claimed by another user, and can start nothing more`,
        {
          details,
        },
      );
}

/** Whether an operation failed because another driver has the run. */
export function isFenced(error: unknown): boolean {
  return DetentError.is(error) && error.code === 'FENCED';
}
