import type { RunFailure } from '../../../../machines/run.types.ts';
import { duration } from '../../../text/wording.ts';
import { brief, causeOf } from './chain.ts';
import { type Evidence, type Judged, withdrawnAt } from './evidence.ts';
import { type Advice, advice, continueWith, type Finding, forkAt, thenResume, times } from './finding.ts';

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
  MODEL_CIRCUIT_OPEN: 'provider_overloaded',
  ALL_MODELS_FAILED: 'all_models_failed',
};

const wording: Readonly<Record<string, string>> = {
  bad_key: 'the provider did not accept the key',
  no_permission: 'the key has no permission for this at the provider',
  unknown_model: 'the provider does not know the model',
  rate_limited: "the request exceeded the provider's rate limit",
  provider_unreachable: 'the provider could not be reached',
  provider_overloaded: 'the provider was overloaded',
  provider_down: 'the provider failed',
  provider_timeout: 'the call to the provider timed out',
  bad_request: 'the provider refused the request',
  malformed_answer: 'the provider sent a malformed answer',
  all_models_failed: 'every model of the list failed',
};

const waits: Readonly<Record<string, string>> = {
  rate_limited: 'wait until the rate limit of the provider allows more requests',
  all_models_failed: 'check that one of the providers is up and that its key is set',
};

/** Why a model call failed: every attempt, each provider's error, and the wait before each retry. */
export function modelFailed(evidence: Evidence): Finding {
  const { options, output, row, context } = evidence;
  const { code = 'INTERNAL', message = '' } = output?.error ?? {};
  const cause = causes[code] ?? 'provider_error';
  const attempts = attemptsAtLastCall(evidence);
  const first = attempts[0] && causeOf(evidence, attempts[0]);
  const names = [options.model, ...(cause === 'all_models_failed' ? (options.fallbacks ?? []) : [])].join(
    ', ',
  );
  const where = options.endpoint?.baseUrl ? `${names} at ${options.endpoint.baseUrl}` : names;
  const isRetried = attempts.length > 1;
  const atLast = attempts.length - 1 - attempts.findLastIndex(({ event }) => event.type === 'model.switched');
  const tries = isRetried ? `, ${attempts.length} attempts in a row` : '';
  return {
    cause,
    summary: `${wording[cause] ?? 'the model call failed'} (${where})${tries}: ${message}`,
    details: [
      ...attempts.map((attempt, i) => attemptLine(evidence, attempt, i, passedBefore(attempts, i))),
      ...(isRetried && atLast >= context.limits.attempts
        ? [
            `the limit is ${context.limits.attempts} attempts at one model call (--max-retries ${context.limits.attempts - 1})`,
          ]
        : []),
    ],
    next: nextAfter(cause, evidence, first?.seq ?? Math.max(0, row.seq - 1)),
  };
}

/** The switches to other models before an attempt. */
function passedBefore(attempts: readonly Judged[], i: number): Judged[] {
  return attempts.slice(0, i).filter(({ event }) => event.type === 'model.switched');
}

function attemptLine(evidence: Evidence, attempt: Judged, i: number, passed: readonly Judged[]): string {
  const { seq, event } = attempt;
  const { code = '', message = '' }: Partial<RunFailure> = event.error ?? {};
  const own = `(${passed.length + 1}) ${passed.at(-1)?.event.to}: `;
  const isAll = code === 'ALL_MODELS_FAILED' && message.includes(own);
  const said = isAll ? message.slice(message.indexOf(own) + own.length) : `${code}: ${message}`;
  const then =
    event.type === 'model.switched'
      ? `the call went to ${event.to} instead${withdrew(evidence, seq)}`
      : afterAttempt(evidence, attempt);
  return `attempt ${i + 1} (seq ${seq}): ${brief(said, 300)}; ${then}`;
}

function afterAttempt(evidence: Evidence, { seq, event, to, context: after }: Judged): string {
  const { context, row } = evidence;
  const { error, delayMs = 0, partial } = event;
  if (to.endsWith('backingOff')) return `retried after ${duration(delayMs)}${withdrew(evidence, seq)}`;
  if (partial && row.version < 3) return 'not retried: the answer had begun';
  const { attempt = context.attempt } = after ?? {};
  return error?.retryable && attempt >= context.limits.attempts
    ? 'no attempt was left'
    : 'not retried: a retry would fail, too';
}

/** Says that words were withdrawn, after the line of their attempt. */
function withdrew(evidence: Evidence, seq: number): string {
  const { text = '', toolCalls = [] } = withdrawnAt(evidence, seq) ?? {};
  return text === '' && toolCalls.length === 0 ? '' : '; what had come of its answer was withdrawn';
}

/** The failed attempts at the model call that ended the run, oldest first. */
export function attemptsAtLastCall(evidence: Evidence): Judged[] {
  const attempts: Judged[] = [];
  let at = evidence.transitions.findLast(({ event }) => event.type === 'model.failed');
  while (at && isFailure(at)) {
    attempts.unshift(at);
    const asked = causeOf(evidence, at);
    at = asked?.event.type === 'timer.backoff' ? causeOf(evidence, asked) : asked;
  }
  return attempts;
}

function isFailure({ event }: Judged): boolean {
  return event.type === 'model.failed' || event.type === 'model.switched';
}

function nextAfter(cause: string, evidence: Evidence, seq: number): Advice[] {
  const { options } = evidence;
  const provider = options.model.split('/', 1)[0] ?? '';
  const fork = advice(`repeat this call in a fork, ${thenResume}`, forkAt(evidence, seq));
  const other = advice(
    `or repeat it in a fork with another model, ${thenResume}`,
    forkAt(evidence, seq, '--model PROVIDER/MODEL'),
  );
  if (cause === 'bad_key') {
    const key = options.endpoint?.apiKeyEnv ?? `the variable with the key of "${provider}"`;
    return [advice(`set ${key} to a valid key`), fork];
  }
  if (cause === 'unknown_model') return [{ ...other, text: other.text.replace('or ', '') }];
  if (cause === 'bad_request')
    return [
      advice('ask for something else in the same conversation', continueWith(evidence, '', 'PROMPT')),
      other,
    ];
  return [advice(waits[cause] ?? 'check that the provider is up'), fork, other];
}

/** The conversation does not fit the model's context window, even after compaction. */
export function contextOverflow(evidence: Evidence): Finding {
  const { output, transitions, options } = evidence;
  const overflows = transitions.filter(({ event }) => event.type === 'context.tooBig');
  const compactions = transitions.filter(({ event }) => event.type === 'compact.done').length;
  const failed = transitions.filter(({ event }) => event.type === 'compact.failed');
  const last = overflows.at(-1);
  const asked = last && causeOf(evidence, last);
  return {
    cause: 'context_overflow',
    summary: `the conversation is larger than the context window of ${options.model}: ${output?.error?.message ?? ''}`,
    details: [
      ...overflows.map(({ seq, event }) =>
        event.message === undefined
          ? `seq ${seq}: the prompt needed about ${String(event.tokens)} tokens`
          : `seq ${seq}: the provider refused the prompt (about ${String(event.tokens)} tokens by Detent's estimate): ${event.message}`,
      ),
      ...(compactions > 0 ? [`the run had compacted it ${times(compactions)}`] : []),
      ...failed.map(({ seq, event }) => `seq ${seq}: the compaction failed: ${event.error?.message}`),
    ],
    next: [
      advice('ask again in a new session, with a shorter prompt', 'detent run "PROMPT"'),
      advice(
        `or fork the run with a model that has a larger window, ${thenResume}`,
        forkAt(evidence, asked?.seq ?? 0, '--model PROVIDER/MODEL'),
      ),
    ],
  };
}
