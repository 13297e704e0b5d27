import { brief, causeOf } from './chain.ts';
import type { Evidence, Judged } from './evidence.ts';
import {
  type Advice,
  advice,
  again,
  duration,
  type Finding,
  inSession,
  thenResume,
  times,
} from './finding.ts';

const causes: Readonly<Record<string, string>> = {
  MODEL_AUTH: 'bad_key',
  MISSING_KEY: 'bad_key',
  MODEL_PERMISSION: 'no_permission',
  MODEL_NOT_FOUND: 'unknown_model',
  UNKNOWN_MODEL: 'unknown_model',
  MODEL_RATE_LIMIT: 'rate_limited',
  MODEL_NETWORK: 'provider_unreachable',
  MODEL_OVERLOADED: 'provider_overloaded',
  MODEL_SERVER: 'provider_down',
  MODEL_TIMEOUT: 'provider_timeout',
  MODEL_BAD_REQUEST: 'bad_request',
  MODEL_MALFORMED: 'malformed_answer',
  CONTEXT_OVERFLOW: 'context_overflow',
};

const wording: Readonly<Record<string, string>> = {
  bad_key: 'the provider did not accept the key',
  no_permission: 'the provider does not allow this to the key',
  unknown_model: 'there is no such model there',
  rate_limited: 'the provider refused more requests for now',
  provider_unreachable: 'the provider could not be reached',
  provider_overloaded: 'the provider was overloaded',
  provider_down: 'the provider failed',
  provider_timeout: 'the provider did not answer in time',
  bad_request: 'the provider refused the request',
  malformed_answer: 'the provider sent what is no answer',
};

/** Why a model call came to nothing: every attempt, what the provider said, and how long was waited in between. */
export function modelFailed(evidence: Evidence): Finding {
  const { options, output, row, context } = evidence;
  const { code = 'INTERNAL', message = '' } = output?.error ?? {};
  const cause = causes[code] ?? 'provider_error';
  const attempts = attemptsAtLastCall(evidence);
  const first = attempts[0] && causeOf(evidence, attempts[0]);
  const where = options.endpoint?.baseUrl ? `${options.model} at ${options.endpoint.baseUrl}` : options.model;
  const isRetried = attempts.length > 1;
  const tries = isRetried ? `, ${attempts.length} attempts in a row` : '';
  return {
    cause,
    summary: `${wording[cause] ?? 'the model call failed'} (${where})${tries}: ${message}`,
    details: [
      ...attempts.map((attempt, i) => attemptLine(evidence, attempt, i)),
      ...(isRetried && attempts.length >= context.limits.attempts
        ? [
            `the limit is ${context.limits.attempts} attempts at one model call (--max-retries ${context.limits.attempts - 1})`,
          ]
        : []),
    ],
    next: nextAfter(cause, evidence, first?.seq ?? Math.max(0, row.seq - 1)),
  };
}

function attemptLine({ context }: Evidence, { seq, event }: Judged, i: number): string {
  const { error, delayMs, partial } = event as unknown as {
    error: { code: string; message: string; retryable: boolean };
    delayMs: number;
    partial: boolean;
  };
  const isLast = i + 1 >= context.limits.attempts;
  const then = partial
    ? 'the answer had begun, so it was not asked again'
    : !error.retryable
      ? 'not asked again: a repeat would fail, too'
      : isLast
        ? 'no attempt was left'
        : `asked again after ${duration(delayMs)}`;
  return `attempt ${i + 1} (seq ${seq}): ${error.code}: ${brief(error.message, 300)}; ${then}`;
}

/** The failed attempts at the model call that ended the run, first ones first. */
export function attemptsAtLastCall(evidence: Evidence): Judged[] {
  const attempts: Judged[] = [];
  let at = evidence.transitions.findLast(({ event }) => event.type === 'model.failed');
  while (at?.event.type === 'model.failed') {
    attempts.unshift(at);
    const asked = causeOf(evidence, at);
    at = asked?.event.type === 'timer.backoff' ? causeOf(evidence, asked) : undefined;
  }
  return attempts;
}

function nextAfter(cause: string, evidence: Evidence, seq: number): Advice[] {
  const { options } = evidence;
  const provider = options.model.split('/', 1)[0] ?? '';
  const fork = advice(`do this call over in a copy, ${thenResume}`, again(evidence, seq));
  const other = advice(
    `or do it over with another model, ${thenResume}`,
    again(evidence, seq, '--model PROVIDER/MODEL'),
  );
  if (cause === 'bad_key') {
    const key = options.endpoint?.apiKeyEnv ?? `the variable with the key of "${provider}"`;
    return [advice(`set ${key} to a valid key`), fork];
  }
  if (cause === 'unknown_model') return [{ ...other, text: other.text.replace('or ', '') }];
  if (cause === 'bad_request')
    return [
      advice('ask for something else in the same conversation', inSession(evidence, '', 'PROMPT')),
      other,
    ];
  const wait =
    cause === 'rate_limited' ? 'wait until the provider takes requests again' : 'see that the provider is up';
  return [advice(wait), fork, other];
}

/** The conversation does not fit the model's window, however it is cut. */
export function contextOverflow(evidence: Evidence): Finding {
  const { output, transitions, options } = evidence;
  const overflows = transitions.filter(({ event }) => event.type === 'context.tooBig');
  const compactions = transitions.filter(({ event }) => event.type === 'compact.done').length;
  const failed = transitions.filter(({ event }) => event.type === 'compact.failed');
  const last = overflows.at(-1);
  const asked = last && causeOf(evidence, last);
  return {
    cause: 'context_overflow',
    summary: `the conversation is larger than the window of ${options.model}: ${output?.error?.message ?? ''}`,
    details: [
      ...overflows.map(({ seq, event }) =>
        event.message === undefined
          ? `seq ${seq}: the prompt needed about ${String(event.tokens)} tokens`
          : `seq ${seq}: the provider refused the prompt (about ${String(event.tokens)} tokens by our estimate): ${String(event.message)}`,
      ),
      ...(compactions > 0 ? [`it was summarised ${times(compactions)} before`] : []),
      ...failed.map(
        ({ seq, event }) => `seq ${seq}: the summary failed: ${(event.error as { message: string }).message}`,
      ),
    ],
    next: [
      advice('ask again in a new session, with less', 'detent run "PROMPT"'),
      advice(
        `or do it over with a model that has a larger window, ${thenResume}`,
        again(evidence, asked?.seq ?? 0, '--model PROVIDER/MODEL'),
      ),
    ],
  };
}
