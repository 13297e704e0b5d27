import { DetentError } from '../../protocol/error.ts';

/** The error of a violated constraint, as a database reports it. */
export function constraintFailed(what: string): DetentError {
  return new DetentError('DATABASE_FAILED', `in-process store: constraint failed: ${what}`);
}
