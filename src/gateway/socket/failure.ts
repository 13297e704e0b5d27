import type { Caller } from '../../protocol/access.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { FrameError } from '../../protocol/frames.ts';
import { onceAMinute } from '../../text/limiter.ts';
import { isOperator, refusalInClientWords } from '../access/client-words.ts';
import { ownWords } from '../access/sentences.ts';

/** HTTP statuses of errors, by code; 400 for all other errors that a caller caused, 500 for errors that are not Detent's own. */
const statuses: Readonly<Record<string, number>> = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  OWN_REQUEST: 403,
  NOT_THE_DECIDER: 403,
  OTHER_DECIDER: 409,
  UNKNOWN_TENANT: 403,
  INVALID_CALLER: 403,
  HOST_NOT_ALLOWED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  UNKNOWN_METHOD: 404,
  ATTACHMENT_NOT_FOUND: 404,
  NO_JOB: 404,
  NO_SLOT: 404,
  UNKNOWN_WORKFLOW: 404,
  METHOD_NOT_ALLOWED: 405,
  IDEMPOTENCY_CONFLICT: 409,
  OUTCOME_UNKNOWN: 409,
  REQUEST_UNDER_WAY: 409,
  SESSION_BUSY: 409,
  SESSION_EXISTS: 409,
  JOB_EXISTS: 409,
  CALL_CLAIMED: 409,
  HASH_MISMATCH: 409,
  CANNOT_DRIVE: 409,
  OTHER_WORKSPACE: 409,
  CHART_CHANGED: 409,
  NOT_A_WORKFLOW: 409,
  DATABASE_MOVED: 409,
  FENCED: 409,
  RUN_WAITS: 409,
  TAKES_NO_MESSAGES: 409,
  RESULT_NOT_TAKEN: 409,
  BODY_STALLED: 408,
  BODY_TOO_LARGE: 413,
  PROMPT_TOO_LARGE: 413,
  RESULT_TOO_LARGE: 413,
  ATTACHMENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_BYTES: 429,
  TOO_MANY_REQUESTS: 429,
  TOO_MANY_CONNECTIONS: 429,
  TOO_MANY_RUNS: 429,
  TOO_MANY_SUBSCRIPTIONS: 429,
  TOO_MANY_JOBS: 429,
  QUEUE_FULL: 429,
  INTERNAL: 500,
  BODY_CONSUMED: 500,
  MACHINE_FAULT: 500,
  RUN_FAILED: 502,
  DRAINING: 503,
  GATEWAY_FULL: 503,
  AUTHENTICATION_FAILED: 503,
  CLOSED: 503,
  DRIVER_SILENT: 503,
  DATABASE_BUSY: 503,
};

/** An error with its HTTP status, as clients get it. */
export interface Failure {
  status: number;
  error: FrameError;
}

/** Messages of the gateway's own that say what a client should do. */
const forClients = ['DRAINING', 'GATEWAY_FULL', 'AUTHENTICATION_FAILED', 'RUN_FAILED'];

/**
 * The failure that a client gets for an error. Of errors that are not Detent's own, or that the client did not cause,
 * the client gets only the code: their text may hold a path or a secret. Only a client with the scope `admin` reads what
 * is meant for the operator.
 *
 * @param report gets what the client does not.
 * @param caller null for a stranger
 */
export function failureOf(thrown: unknown, report: (error: unknown) => void, caller: Caller | null): Failure {
  const failure = wholeFailureOf(thrown, report);
  if (isOperator(caller)) return failure;
  const { status, error } = failure;
  if (status < 500 && !ownWords.has(error.code) && error.code !== 'INVALID_REQUEST') report(thrown);
  return { status, error: refusalInClientWords(error) };
}

function wholeFailureOf(thrown: unknown, report: (error: unknown) => void): Failure {
  // Only the operator can fix it, and its message names folders of the machine.
  if (!DetentError.is(thrown) || thrown.code === 'INVALID_WORKSPACE') {
    report(thrown);
    return {
      status: 500,
      error: { code: 'INTERNAL', message: 'the gateway failed; see its log', retryable: false },
    };
  }
  const { code, message, retryable, details } = thrown;
  const status = statuses[code] ?? (code.startsWith('DATABASE_') ? 503 : 400);
  if (status >= 500 && code !== 'DRAINING') report(thrown);
  if (status >= 500 && !forClients.includes(code)) {
    const advice = retryable ? 'try again later' : 'see its log';
    return { status, error: { code, message: `the gateway failed; ${advice}`, retryable } };
  }
  const hasDetails = Object.keys(details).length > 0;
  return { status, error: { code, message, retryable, ...(hasDetails && { details }) } };
}

/** What a client can cause with each request, so that it must not fill the log. */
const ofClients: ReadonlySet<string> = new Set([
  ...['HOST_NOT_ALLOWED', 'ORIGIN_NOT_ALLOWED', 'INVALID_CALLER', 'FORBIDDEN', 'OWN_REQUEST'],
  ...['NOT_THE_DECIDER', 'OTHER_DECIDER'],
]);

/**
 * Reports refusals that a client can cause at will once a minute each, and at most 50 of them; all other errors as they come. A
 * function of the host that throws does not bring the gateway down.
 *
 * @param report default: a line on stderr.
 */
export function calmReport(
  report: (error: unknown) => unknown = printed,
  now?: () => number,
): (error: unknown) => void {
  // Each header `Host` is another line.
  const isNew = onceAMinute(now);
  const isKnown = (error: unknown) =>
    DetentError.is(error) && ofClients.has(error.code) && !isNew(error.message);
  return (error) => {
    if (isKnown(error)) return;
    try {
      Promise.resolve(report(error)).catch(() => {});
    } catch {
      // The error cannot be reported anywhere.
    }
  };
}

function printed(error: unknown): void {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  console.error(`detent: gateway: ${messageOf(error)}${cause}`);
}
