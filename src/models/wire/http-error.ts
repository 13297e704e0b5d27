import type { ModelError, ModelErrorKind } from '../../protocol/content.ts';
import { type Complaint, readComplaint, readComplaintText } from './error-body.ts';
import { diagnose } from './error-kind.ts';
import { modelError } from './model-error.ts';
import { type HttpHeaders, retryAfterMs, single } from './retry-after.ts';

interface HttpErrorAnswer {
  /** The HTTP status; not 2xx. */
  status: number;
  headers: HttpHeaders;
  /** As much of the body as was read, JSON or not. */
  body: string;
  /** The server's origin, for the message. */
  origin: string;
}

/**
 * Classifies an HTTP error of any provider: kind and retryability by status, refined by the provider's own codes.
 *
 * A prompt longer than the model's context window keeps the kind of its status (`bad_request`) and gets the code
 * `MODEL_CONTEXT_OVERFLOW`. An account out of credit is `rate_limit` and not retryable. `x-should-retry`, which OpenAI
 * and Anthropic send, overrides retryability.
 *
 * @param nowMs the moment the answer came, epoch milliseconds; a date in `Retry-After` counts from it
 */
export function httpError(
  { status, headers, body, origin }: HttpErrorAnswer,
  nowMs = Date.now(),
): ModelError {
  const error = errorOf({ ...readComplaintText(body), status }, origin);
  const shouldRetry = single(headers['x-should-retry']);
  if (shouldRetry === 'true' || shouldRetry === 'false') error.retryable = shouldRetry === 'true';
  const waitMs = retryAfterMs(headers, nowMs);
  if (waitMs !== undefined) error.retryAfterMs = waitMs;
  return error;
}

/** Classifies an error that a provider reports inside a successful HTTP answer, as an event or as the whole body. */
export function reportedError(body: unknown, origin: string): ModelError {
  return errorOf(readComplaint(body), origin);
}

function errorOf(complaint: Complaint, origin: string): ModelError {
  const { message, status, words } = complaint;
  const { kind, contextOverflow, outOfCredit } = diagnose(complaint);
  const situation = contextOverflow ? 'contextOverflow' : outOfCredit ? 'outOfCredit' : kind;
  const [happened, advice] = phrases[situation] ?? phrases.server;
  const said = `${happened}${status === undefined ? '' : ` (${status})`}${message && `: ${message}`}`;
  return modelError(kind, `${origin} ${said}${/[.!?…]$/.test(said) ? '' : '.'} ${advice}`.trim(), {
    ...(contextOverflow && { code: 'MODEL_CONTEXT_OVERFLOW' }),
    ...(outOfCredit && { retryable: false }),
    ...(status !== undefined && { status }),
    ...(words[0] !== undefined && { providerCode: words[0] }),
  });
}

type Situation = ModelErrorKind | 'contextOverflow' | 'outOfCredit';

/** What happened, and what to do. */
const phrases: Partial<Record<Situation, [string, string]>> & { server: [string, string] } = {
  auth: ['refused the credentials', 'Check the API key set for this provider.'],
  permission: ['denied access', 'Check that the API key may use this model.'],
  not_found: ['does not know the model or the address', 'Check the model name and the base URL.'],
  bad_request: ['refused the request', ''],
  contextOverflow: ['says that the prompt is too long for the model', 'Shorten the conversation.'],
  rate_limit: ['limits the rate of calls', 'Wait before the next one.'],
  outOfCredit: ['says that the account has no credit left', 'Add credit there or choose another provider.'],
  overloaded: ['is overloaded', 'Try again later.'],
  timeout: ['timed out', 'Try again later.'],
  server: ['failed', 'Try again later.'],
};
