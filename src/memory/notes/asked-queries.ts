import { DetentError } from '../../protocol/error.ts';

const maxQueries = 4;

/** The queries without blank ones. @throws DetentError `INVALID_ARGUMENTS`. */
export function askedQueries(queries: readonly string[]): string[] {
  const asked = queries.map((query) => query.trim()).filter((query) => query !== '');
  if (asked.length > 0 && asked.length <= maxQueries) return asked;
  throw new DetentError('INVALID_ARGUMENTS', 'give one query, or two to four ways to say the same');
}
