import { nearestName } from '../text/nearest-name.ts';
import { DetentError } from './error.ts';

/** The agent of runs that name none. It always exists: without an entry in `agents` it has the top-level fields. */
export const defaultAgent = 'default';

/** @param known the agents that there are */
export function unknownAgent(wanted: string, known: readonly string[]): DetentError {
  const nearest = nearestName(wanted, known);
  return new DetentError(
    'UNKNOWN_AGENT',
    `there is no agent "${wanted}"${nearest ? `; did you mean "${nearest}"?` : ''}; there are ${known.join(', ') || 'none'}`,
    { details: { name: wanted, known } },
  );
}
