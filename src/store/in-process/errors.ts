import { DetentError } from '../../protocol/error.ts';

/** What a database reports when a row breaks a constraint. */
export function constraintFailed(what: string): DetentError {
  return new DetentError('DATABASE_FAILED', `in-process store: constraint failed: ${what}`);
}
