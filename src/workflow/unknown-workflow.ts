import { DetentError } from '../protocol/error.ts';

/** @param known the ids that there are */
export function unknownWorkflow(id: string, known: readonly string[]): DetentError {
  return new DetentError(
    'UNKNOWN_WORKFLOW',
    `this program has no workflow ${JSON.stringify(id)}; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
    { details: { id, known } },
  );
}
