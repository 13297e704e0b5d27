import type { ModelError, ModelErrorKind } from '../../protocol/content.ts';
import { modelErrorText } from '../../protocol/views.ts';
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
  const location = placeOf(single(headers.location), origin);
  if (status < 400 && location !== null)
    error.message = modelErrorText('model_redirected', { origin, location, status });
  const shouldRetry = single(headers['x-should-retry']);
  if (shouldRetry === 'true' || shouldRetry === 'false') error.retryable = shouldRetry === 'true';
  const waitMs = retryAfterMs(headers, nowMs);
  if (waitMs !== undefined) error.retryAfterMs = waitMs;
  return error;
}

/** Where a redirect leads: without its query, which may hold a secret. */
function placeOf(location: string, origin: string): string | null {
  if (location === '' || !URL.canParse(location, origin)) return null;
  const { protocol, host, pathname } = new URL(location, origin);
  return `${protocol}//${host}${pathname}`;
}

/** Classifies an error that a provider reports inside a successful HTTP answer, as an event or as the whole body. */
export function reportedError(body: unknown, origin: string): ModelError {
  return errorOf(readComplaint(body), origin);
}

function errorOf(complaint: Complaint, origin: string): ModelError {
  const { message, status, words } = complaint;
  const { kind, contextOverflow, outOfCredit } = diagnose(complaint);
  const situation = contextOverflow ? 'contextOverflow' : outOfCredit ? 'outOfCredit' : kind;
  const facts = {
    origin,
    ...(status !== undefined && { status }),
    ...(message !== '' && { said: message }),
  };
  return modelError(kind, modelErrorText(sentences[situation] ?? 'model_server', facts), {
    ...(contextOverflow && { code: 'MODEL_CONTEXT_OVERFLOW' }),
    ...(outOfCredit && { retryable: false }),
    ...(status !== undefined && { status }),
    ...(words[0] !== undefined && { providerCode: words[0] }),
  });
}

type Situation = ModelErrorKind | 'contextOverflow' | 'outOfCredit';

/** How each situation reads. */
const sentences: Partial<Record<Situation, Parameters<typeof modelErrorText>[0]>> = {
  auth: 'model_auth',
  permission: 'model_permission',
  not_found: 'model_not_found',
  bad_request: 'model_bad_request',
  contextOverflow: 'model_context_overflow',
  rate_limit: 'model_rate_limit',
  outOfCredit: 'model_out_of_credit',
  overloaded: 'model_overloaded',
  timeout: 'model_timeout',
};
