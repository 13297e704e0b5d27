import { DetentError } from '../protocol/error.ts';

/** A call's number as people and programs see it. */
export function callName(callId: number): string {
  return `c${callId}`;
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
