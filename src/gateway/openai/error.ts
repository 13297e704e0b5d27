import { sentences } from '../access/sentences.ts';
import { jsonHeaders } from '../http/answers.ts';
import type { Failure } from '../socket/failure.ts';

/** An error as OpenAI's clients read it. */
export interface OpenAiError {
  message: string;
  type: string;
  /** The field of the request that it is about. */
  param: string | null;
  code: string | null;
}

/** Seconds after which a client may try again, for errors that pass. */
const retryAfter = '5';

export function openAiErrorOf({ status, error }: Failure): OpenAiError {
  const { code, message, details } = error;
  const isModel = code === 'UNKNOWN_AGENT';
  return {
    message: message === sentences.INVALID_REQUEST ? (problemOf(details) ?? message) : message,
    type: typeOf(status),
    param: isModel ? 'model' : paramOf(details),
    code: isModel ? 'model_not_found' : code,
  };
}

/**
 * The answer to a request that failed. The clients of OpenAI repeat some requests by themselves: with each repetition of one
 * without a key there would be another run, so only what has certainly not begun may be repeated.
 */
export function openAiError(failure: Failure): Response {
  const { status, error } = failure;
  const answered = error.code === 'UNKNOWN_AGENT' ? 404 : status;
  const mayRepeat = error.retryable && (status === 429 || status === 503);
  const headers = new Headers({
    ...jsonHeaders,
    'x-should-retry': String(mayRepeat),
  });
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (mayRepeat) headers.set('retry-after', retryAfter);
  return new Response(JSON.stringify({ error: openAiErrorOf(failure) }), { status: answered, headers });
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** What is wrong with the request: this form of an error has no other place for it. */
function problemOf(details: Record<string, unknown> | undefined): string | null {
  const [first] = Array.isArray(details?.problems) ? details.problems : [];
  return typeof first?.message === 'string' ? first.message : null;
}

function paramOf(details: Record<string, unknown> | undefined): string | null {
  const { field, problems } = details ?? {};
  if (typeof field === 'string') return field;
  const [first] = Array.isArray(problems) ? problems : [];
  return typeof first?.field === 'string' && first.field !== '' ? first.field : null;
}
