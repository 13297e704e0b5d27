import * as calls from './calls.rules.ts';
import { type EventOf, idsAtWork, isFact, without } from './calls.rules.ts';
import type { AnswerCall, AnswerKind, RunContext, RunEvent, RunInput, RunLimits } from './run.types.ts';

/** What the actions and guards of the run chart compute: pure functions of context and event. */

type Change = Partial<RunContext>;

/** Retries in a row after an answer that is empty or holds only reasoning. */
const maxEmptyRetries = 5;
/** Prunings and compactions in a row that may fail to make room; after that the prompt is cut. */
const maxCompactionsAhead = 3;
/** Models that one call may pass over. */
const maxSwitches = 7;
/** Attempts at one flush and at one compaction. */
const maxCompactionAttempts = 2;

export function limitsAtWork({ queueMs: _, ...limits }: RunLimits): RunContext['limits'] {
  return limits;
}

/** The kind of answer that a run begins with. */
export function firstAnswer({ only }: RunInput): AnswerKind {
  if (only === undefined) return 'none';
  return only === 'compact' ? 'unwanted' : 'given';
}

export function isAwaited(context: RunContext, event: RunEvent): boolean {
  return isFact(event) && event.effectId === context.awaiting;
}

export function mayRetryModel(context: RunContext, event: RunEvent): boolean {
  if (event.type !== 'model.failed' || !isAwaited(context, event)) return false;
  return event.error.retryable && context.attempt < context.limits.attempts;
}

export function maySwitch(context: RunContext, event: RunEvent): boolean {
  return isAwaited(context, event) && context.route < maxSwitches;
}

/** Whether a model call that failed is made again: now or later, by this model or the next one, perhaps after a compaction. */
export function isCalledAgain(context: RunContext, event: RunEvent): boolean {
  if (event.type === 'model.switched') return maySwitch(context, event);
  return event.type === 'context.tooBig' ? mayCut(context, event) : mayRetryModel(context, event);
}

export function mayPrune(context: RunContext, event: RunEvent): boolean {
  // One pruning removes everything it may, so a second one before the next answer would find nothing.
  return isAwaited(context, event) && context.care === 0;
}

export function mayRetryCompaction(context: RunContext, event: RunEvent): boolean {
  if (event.type === 'compact.failed' && event.outcome === 'budget_exhausted') return false;
  return isAwaited(context, event) && context.attempt < maxCompactionAttempts;
}

export function mayCompact(context: RunContext, event: RunEvent): boolean {
  return mayCut(context, event) && context.care < maxCompactionsAhead;
}

export function mayCut(context: RunContext, event: RunEvent): boolean {
  return isAwaited(context, event) && context.loss !== 'history';
}

/** An answer without calls, with no newer message waiting. */
function isFinalAnswer(context: RunContext): boolean {
  return context.unseen === 0 && !['calls', 'mends', 'none', 'unwanted'].includes(context.answer);
}

export function isTruncated(context: RunContext): boolean {
  return isFinalAnswer(context) && context.answer === 'length';
}

export function isAnswered(context: RunContext): boolean {
  if (!isFinalAnswer(context)) return false;
  return context.answer === 'text' || context.empty > maxEmptyRetries;
}

export function hasInvalidOutput(context: RunContext): boolean {
  return isFinalAnswer(context) && context.answer === 'invalid';
}

export function isLooping(context: RunContext): boolean {
  return context.times >= context.limits.repeats;
}

export function hasTooManyErrors(context: RunContext): boolean {
  return context.errors >= context.limits.errors;
}

/** The model stopped, or loops, after policy (not a person) refused all calls of its last answer. */
export function isBlockedByPolicy(context: RunContext): boolean {
  const isAtItsEnd = [isAnswered, hasInvalidOutput, isLooping, hasTooManyErrors].some((is) => is(context));
  return context.refused && isAtItsEnd;
}

export function isOverBudget({ limits, tokensIn, tokensOut, costUsd }: RunContext): boolean {
  if (limits.tokens !== null && tokensIn + tokensOut >= limits.tokens) return true;
  return limits.costUsd !== null && costUsd >= limits.costUsd;
}

/** The cost of the work in flight, which has ended. */
export function addCost(context: RunContext, event: RunEvent): Change {
  return 'cost' in event && event.cost ? { awaiting: null, ...calls.addCost(context, event) } : {};
}

function answerKind(context: RunContext, event: EventOf<'model.done'>): AnswerKind {
  const { finish, calls, text, fits } = event;
  // Of a run that an earlier version was to make one given call with: nothing comes after that.
  if (context.answer === 'given') return 'text';
  const isSecond = isMending(context);
  if (finish === 'contentFilter' || finish === 'refusal') return finish;
  if (calls.length > 0) return isSecond ? 'mends' : 'calls';
  if (finish === 'length') return 'length';
  // While a message waits, this is not the last answer.
  if (fits !== false || context.unseen > 0) return text ? 'text' : 'empty';
  if (isSecond) return 'invalid';
  if (text) return 'unfit';
  return context.empty < maxEmptyRetries ? 'empty' : 'invalid';
}

/** The model was asked to mend an answer that does not fit the output schema. One answer may do so. */
export function isMending({ answer }: Pick<RunContext, 'answer'>): boolean {
  return answer === 'unfit' || answer === 'mends';
}

/**
 * A message needs an answer, so it also turns a run that was only to compact into one that answers. The answer to it may
 * be mended again.
 */
export function countMessage(context: RunContext): Change {
  const isNewRequest = context.answer === 'unwanted' || isMending(context);
  return { unseen: context.unseen + 1, ...(isNewRequest && { answer: 'none' }) };
}

export function noteCompaction(context: RunContext): Change {
  const { answer, care } = context;
  return { attempt: 0, answer: answer === 'unwanted' ? answer : afterCompaction(context), care: care + 1 };
}

export function giveUpCompaction(context: RunContext): Change {
  return { attempt: 0, answer: afterCompaction(context), awaiting: null, loss: 'history' };
}

function afterCompaction(context: RunContext): AnswerKind {
  return isMending(context) ? 'mends' : 'none';
}

export function noteAnswer(context: RunContext, event: EventOf<'model.done'>): Change {
  const answer = answerKind(context, event);
  const refusals = event.calls.filter((call) => call.gate === 'refuse');
  const judged = refusals.length > 0;
  return {
    effectCount: event.calls.reduce((most, call) => Math.max(most, call.callId), context.effectCount),
    attempt: 0,
    route: 0,
    waitedMs: 0,
    steps: context.steps + 1,
    answer,
    empty: answer === 'empty' ? context.empty + 1 : 0,
    care: 0,
    ...refusals.reduce(countFailing, { failing: context.failing, times: context.times }),
    errors: context.errors + (judged ? 1 : 0),
    judged,
    refused:
      event.calls.length === 0
        ? context.refused
        : event.calls.every((call) => call.gate === 'refuse' && call.byPolicy === true),
    pending: openCalls(event).map((call) => ({
      id: call.callId,
      class: call.class,
      state: call.gate === 'ask' ? 'asked' : 'ready',
    })),
  };
}

export function openCalls({ calls }: EventOf<'model.done'>): AnswerCall[] {
  return calls.filter((call) => call.gate !== 'refuse');
}

type Failing = Pick<RunContext, 'failing' | 'times'>;

function countFailing({ failing, times }: Failing, { key }: { key?: string }): Failing {
  if (key === undefined) return { failing, times };
  return { failing: key, times: failing === key ? times + 1 : 1 };
}

export function settleCall(context: RunContext, event: EventOf<'tool.done' | 'tool.failed'>): Change {
  const pending = without(context, [event.effectId]);
  if (event.type === 'tool.failed')
    return {
      pending,
      ...countFailing(context, event),
      // A step in which every call fails counts once, whatever its number of calls.
      errors: context.errors + (context.judged ? 0 : 1),
      judged: true,
    };
  return {
    pending,
    ...(context.failing === event.key && { failing: null, times: 0 }),
    errors: 0,
    judged: true,
  };
}

/** The calls that may start now: consecutive read-only calls up to the limit; any other call only alone. */
export function startable(context: RunContext): number[] {
  const { pending, limits } = context;
  const atWork = idsAtWork(context);
  const started = pending.filter(({ id }) => atWork.includes(id));
  if (started.some((call) => call.class !== 'readonly')) return [];
  const free = limits.parallel - started.length;
  const next: number[] = [];
  for (const call of pending) {
    if (call.state !== 'ready') continue;
    if (call.class !== 'readonly') {
      if (next.length === 0 && started.length === 0) next.push(call.id);
      break;
    }
    if (next.length >= free) break;
    next.push(call.id);
  }
  return next;
}

export function overflow({ tokens, message: said }: EventOf<'context.tooBig'>): Change {
  const why = said
    ? `the provider refused the prompt as too long, even cut to its newest part (${said})`
    : `the prompt needs about ${tokens} tokens, more than the model's window, even cut to its newest part`;
  const message = `${why}; start a new session, send less, or use a model with a larger window`;
  return {
    awaiting: null,
    end: { outcome: 'provider_error', error: { code: 'CONTEXT_OVERFLOW', message, retryable: false } },
  };
}
