import type { RunFailure } from '../../../../machines/run.types.ts';
import { errorWords, type Sentence, type SentenceValue } from '../../../protocol/views.ts';
import { brief, briefError, causeOf } from './chain.ts';
import { type Evidence, type Judged, withdrawnAt } from './evidence.ts';
import { type Advice, advice, continueWith, type Finding, forkAt, thenResume } from './finding.ts';
import { say } from './say.ts';

const causes = {
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
  MODEL_CIRCUIT_OPEN: 'provider_overloaded',
  ALL_MODELS_FAILED: 'all_models_failed',
  SCRIPT_INCOMPLETE: 'wrong_script',
  INVALID_SCRIPT: 'wrong_script',
} as const;

type Cause = (typeof causes)[keyof typeof causes] | 'provider_error';

function causeOfCode(code: string): Cause {
  return Object.hasOwn(causes, code) ? causes[code as keyof typeof causes] : 'provider_error';
}

/** Why a model call failed: every attempt, each provider's error, and the wait before each retry. */
export function modelFailed(evidence: Evidence): Finding {
  const { options, output, row, context } = evidence;
  const { code = 'INTERNAL', message = '' } = output?.error ?? {};
  const cause = causeOfCode(code);
  const attempts = attemptsAtLastCall(evidence);
  const first = attempts[0] && causeOf(evidence, attempts[0]);
  const models = [options.model, ...(cause === 'all_models_failed' ? (options.fallbacks ?? []) : [])];
  const isRetried = attempts.length > 1;
  const atLast = attempts.length - 1 - attempts.findLastIndex(({ event }) => event.type === 'model.switched');
  return {
    cause,
    summary: say('model_failed', {
      what: say(cause),
      models: models.join(', '),
      address: options.endpoint?.baseUrl,
      attempts: isRetried ? attempts.length : undefined,
      message: errorWords(message),
    }),
    details: [
      ...attempts.map((attempt, i) => attemptLine(evidence, attempt, i, passedBefore(attempts, i))),
      ...(isRetried && atLast >= context.limits.attempts
        ? [say('max_attempts', { max: context.limits.attempts, retries: context.limits.attempts - 1 })]
        : []),
    ],
    next: nextAfter(cause, evidence, first?.seq ?? Math.max(0, row.seq - 1)),
  };
}

/** The switches to other models before an attempt. */
function passedBefore(attempts: readonly Judged[], i: number): Judged[] {
  return attempts.slice(0, i).filter(({ event }) => event.type === 'model.switched');
}

function attemptLine(evidence: Evidence, attempt: Judged, i: number, passed: readonly Judged[]): Sentence {
  const { seq, event } = attempt;
  const { code = '', message = '' }: Partial<RunFailure> = event.error ?? {};
  const own = `(${passed.length + 1}) ${passed.at(-1)?.event.to}: `;
  const isAll = code === 'ALL_MODELS_FAILED' && message.includes(own);
  const said = isAll
    ? ofList(message.slice(message.indexOf(own) + own.length))
    : say('failure', { code, message: briefError(message, 300) });
  const isSwitch = event.type === 'model.switched';
  const after = isSwitch ? say('went_to', { model: event.to ?? '' }) : afterAttempt(evidence, attempt);
  const isWithdrawn = (isSwitch || attempt.to.endsWith('backingOff')) && hasWithdrawn(evidence, seq);
  return say('attempt', {
    n: i + 1,
    seq,
    said,
    after,
    withdrawn: isWithdrawn ? say('begun_withdrawn') : undefined,
  });
}

/** What the list of failed models says of one: `MODEL_SERVER: …`. */
function ofList(text: string): SentenceValue {
  const [, code, message = ''] = /^([A-Z_]+): (.*)$/s.exec(text) ?? [];
  return code === undefined ? brief(text, 300) : say('failure', { code, message: briefError(message, 300) });
}

function afterAttempt(evidence: Evidence, { event, to, context: after }: Judged): Sentence {
  const { context, row } = evidence;
  const { error, delayMs = 0, partial } = event;
  if (to.endsWith('backingOff')) return say('retried', { delay: delayMs });
  if (partial && row.version < 3) return say('answer_had_begun');
  const { attempt = context.attempt } = after ?? {};
  return error?.retryable && attempt >= context.limits.attempts
    ? say('no_attempt_left')
    : say('retry_is_useless');
}

/** Whether something had come of the answer that a transition withdrew. */
function hasWithdrawn(evidence: Evidence, seq: number): boolean {
  const { text = '', toolCalls = [] } = withdrawnAt(evidence, seq) ?? {};
  return text !== '' || toolCalls.length > 0;
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

function nextAfter(cause: Cause, evidence: Evidence, seq: number): Advice[] {
  const { options } = evidence;
  const provider = options.model.split('/', 1)[0] ?? '';
  const fork = advice(say('repeat_in_fork', thenResume), forkAt(evidence, seq));
  const otherModel = forkAt(evidence, seq, '--model PROVIDER/MODEL');
  const other = advice(say('or_repeat_with_other', thenResume), otherModel);
  if (cause === 'bad_key') {
    const key = options.endpoint?.apiKeyEnv ?? say('key_variable', { provider });
    return [advice(say('set_key', { key })), fork];
  }
  if (cause === 'wrong_script') return [advice(say('correct_script')), fork];
  if (cause === 'unknown_model') return [advice(say('repeat_with_other', thenResume), otherModel)];
  if (cause === 'bad_request')
    return [advice(say('ask_something_else'), continueWith(evidence, '', 'PROMPT')), other];
  const isOfAll = cause === 'all_models_failed';
  const check = cause === 'rate_limited' ? 'wait_for_rate' : isOfAll ? 'check_one_is_up' : 'check_is_up';
  return [advice(say(check)), fork, other];
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
    summary: say('context_overflow', {
      model: options.model,
      message: errorWords(output?.error?.message ?? ''),
    }),
    details: [
      ...overflows.map(({ seq, event }) =>
        event.message === undefined
          ? say('prompt_needed', { seq, tokens: String(event.tokens) })
          : say('prompt_refused', { seq, tokens: String(event.tokens), message: errorWords(event.message) }),
      ),
      ...(compactions > 0 ? [say('compacted', { count: compactions })] : []),
      ...failed.map(({ seq, event }) =>
        say('compaction_failed', { seq, message: errorWords(event.error?.message ?? '') }),
      ),
    ],
    next: [
      advice(say('ask_in_new_session'), 'detent run "PROMPT"'),
      advice(
        say('fork_with_larger', thenResume),
        forkAt(evidence, asked?.seq ?? 0, '--model PROVIDER/MODEL'),
      ),
    ],
  };
}
