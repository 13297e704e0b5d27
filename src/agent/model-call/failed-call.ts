import { isCalledAgain } from '../../../machines/run.rules.ts';
import type { CallCost, RunFact, RunFailure } from '../../../machines/run.types.ts';
import { writeMessage } from '../../call/messages.ts';
import type { Fact, WatcherSignal } from '../../engine/machine.ts';
import { type ModelAnswer, type ModelError, unanswered } from '../../protocol/content.ts';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { loopErrors, withValues } from '../../protocol/views.ts';
import { logEvent } from '../../store/stored-call.ts';
import type { AssistantBody } from '../../store/stored-message.ts';
import type { RunJob } from '../effect/run-effect.ts';
import type { Store } from '../effect/statements.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { AgentServices } from '../services.ts';
import { hasWords } from '../usage/broken-call.ts';
import { afterFailure, mayServeElsewhere, type Route } from './route.ts';

export const noCost: CallCost = Object.freeze({ inputTokens: 0, outputTokens: 0, costUsd: 0 });

type Untimed<Event> = Event extends unknown ? Omit<Event, 'at'> : never;
/** Says what follows: a retry, another model, a compaction, or the end of the run. */
type CallFailed = Untimed<Extract<RunFact, { type: 'model.failed' | 'model.switched' | 'context.tooBig' }>>;

/** A model call that failed at the provider. */
interface FailedCall {
  error: ModelError;
  answer: ModelAnswer;
  cost: CallCost;
  route: Route;
  /** Estimated tokens of the prompt. */
  tokens: number;
}

/** Decides what follows a failed call. */
export async function failureOf(
  services: AgentServices,
  job: RunJob,
  call: FailedCall,
): Promise<{ event: CallFailed; isCalledAgain: boolean }> {
  const event = await eventOf(services, job, call);
  const again = isCalledAgain(job.context, { ...event, at: 0 });
  const partial = hasWords(call.answer) || (again && call.answer.usage !== null);
  return { event: partial ? { ...event, partial } : event, isCalledAgain: again };
}

/**
 * The fact of a failed call that is made again. The part of its answer that had arrived is withdrawn: its message is in
 * no prompt, and watchers get `delta.reset`.
 */
export function withdrawn({ effectId, attempt }: RunJob, event: CallFailed, body: AssistantBody): Fact {
  if (!event.partial) return { event };
  return {
    event,
    writes: (scope) => writeMessage(scope, 'withdrawn', body),
    signals: [deltaReset(effectId, attempt)],
  };
}

/** The fact of a failed call that ends its run. The text that had arrived stays as its last answer; its calls never run. */
export function failedForGood(event: CallFailed, body: AssistantBody): Fact {
  return { event, ...(event.partial && { writes: (scope) => writeMessage(scope, 'assistant', body) }) };
}

/** The signal that takes back the deltas of one attempt at a model call. */
export function deltaReset(effectId: number, attempt: number): WatcherSignal {
  return { type: 'delta.reset', effectId, attempt };
}

async function eventOf(
  services: AgentServices,
  job: RunJob,
  { error, cost, route, tokens }: FailedCall,
): Promise<CallFailed> {
  const { effectId, context } = job;
  if (error.code === 'MODEL_CONTEXT_OVERFLOW')
    return { type: 'context.tooBig', effectId, tokens, message: error.message, cost };
  const then = afterFailure(error, { next: route.next, context, random: services.random });
  const message = then.kind === 'fail' && then.note ? `${error.message} ${then.note}` : error.message;
  const failure = { code: error.code, message, retryable: then.kind === 'retry' };
  if (then.kind === 'switch' && route.next !== null)
    return switched(effectId, route, { ...failure, retryable: error.retryable }, cost);
  const isLast = then.kind === 'fail' || context.attempt >= context.limits.attempts;
  const isEverywhere = isLast && mayServeElsewhere(error);
  return {
    type: 'model.failed',
    effectId,
    error: isEverywhere ? await whenAllFailed(services.store, job, route.name, failure) : failure,
    outcome: 'provider_error',
    partial: false,
    delayMs: then.kind === 'retry' ? then.delayMs : 0,
    cost,
  };
}

/** The fact of a call that could not start: the model's name or its key is wrong. */
export async function unavailable(
  { store }: AgentServices,
  job: RunJob,
  route: Route,
  error: unknown,
): Promise<Fact> {
  const { effectId } = job;
  const known = DetentError.is(error);
  const failure: RunFailure = {
    code: known ? error.code : 'INTERNAL',
    message: messageOf(error),
    retryable: false,
  };
  if (known && route.next !== null) return { event: switched(effectId, route, failure, noCost) };
  if (!known) return failedWith(effectId, failure, 'internal_error');
  return failedWith(effectId, await whenAllFailed(store, job, route.name, failure), 'provider_error');
}

/** The fact of a call that a shared budget did not admit. */
export function overBudget({ effectId }: RunJob, failure: RunFailure): Fact {
  return failedWith(effectId, failure, 'budget_exhausted');
}

/** The model that the answers name which Detent gives in place of one. */
const ownModel = 'detent/budget';

/** The fact of such a call: the sentence is the run's answer, and its event says the reason. */
export function answeredByBudget(
  { effectId }: RunJob,
  { upTo, tainted }: Pick<Prompt, 'upTo' | 'tainted'>,
  answer: ModelAnswer,
  { message }: RunFailure,
): Fact {
  const body: AssistantBody = {
    ...answer,
    effectId,
    upTo,
    provider: ownModel,
    costUsd: null,
    toolCalls: [],
    error: null,
    ...(tainted.length > 0 && { tainted: [...tainted] }),
  };
  return {
    event: {
      type: 'model.done',
      effectId,
      finish: 'stop',
      text: true,
      calls: [],
      cost: noCost,
      // Only for readers of the log.
      overBudget: message,
    },
    writes: (scope) => writeMessage(scope, 'assistant', body),
  };
}

export function sentenceAnswer(text: string): ModelAnswer {
  return { ...unanswered(ownModel, null), text, finish: 'stop' };
}

function switched(effectId: number, { name, next }: Route, error: RunFailure, cost: CallCost) {
  return { type: 'model.switched' as const, effectId, from: name, to: next ?? '', error, cost };
}

function failedWith(effectId: number, error: RunFailure, outcome: string): Fact {
  return {
    event: { type: 'model.failed', effectId, error, outcome, partial: false, delayMs: 0, cost: noCost },
  };
}

/** Maximum of transitions of one model call: 8 models, several attempts at each, and compactions between them. */
const maxTransitions = 256;

/**
 * The failure of a call that no model of the run's list answered: each model with its error. If only one model was tried,
 * its own error.
 *
 * @param last the failure of the last model.
 */
async function whenAllFailed(
  store: Store,
  { run }: RunJob,
  name: string,
  last: RunFailure,
): Promise<RunFailure> {
  const after = Math.max(0, run.seq - maxTransitions);
  const events = await store.query('listEvents', { run: run.pk, after, limit: maxTransitions });
  const since = events.findLastIndex(({ type }) => type === 'model.done') + 1;
  const passed = events.slice(since).flatMap((row) => {
    const { from = '', error } = row.type === 'model.switched' ? logEvent(row) : {};
    return error ? [{ name: from, error }] : [];
  });
  if (passed.length === 0) return last;
  const lines = [...passed, { name, error: last }].map(
    ({ name, error }, i) => `(${i + 1}) ${name}: ${error.code}: ${error.message}`,
  );
  return {
    code: 'ALL_MODELS_FAILED',
    message: withValues(loopErrors.model_none_answered, { count: lines.length, tries: lines.join(' ') }),
    retryable: last.retryable,
  };
}
