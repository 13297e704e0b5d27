import type { CallCost } from '../../../machines/run.types.ts';
import { hasHooks } from '../../call/hooks.ts';
import { writeMessage } from '../../call/messages.ts';
import type { CommitScope, Fact } from '../../engine/machine.ts';
import type { ModelAnswer, ModelDelta } from '../../protocol/content.ts';
import type { ModelRequest, ResolvedModel } from '../../protocol/ports.ts';
import type { Program } from '../../store/program.ts';
import type { RunOptions } from '../../store/run-options.ts';
import type { AssistantBody } from '../../store/stored-message.ts';
import type { RunEffect } from '../effect/run-effect.ts';
import { learnedFromRefusal, recordCalibration } from '../prompt/calibration.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { AgentServices } from '../services.ts';
import { boundBySkills } from '../skills/skill-calls.ts';
import { withCharge } from '../usage/broken-call.ts';
import { reserveCall } from '../usage/budgets.ts';
import { withKnownUsage } from '../usage/known-usage.ts';
import { noteCall, writeUsage } from '../usage/ledger.ts';
import { usageOf } from '../usage/model-cost.ts';
import { DeltaStream, wholeDeltas } from './delta-stream.ts';
import {
  answeredByBudget,
  deltaReset,
  failedForGood,
  failureOf,
  overBudget,
  sentenceAnswer,
  unavailable,
  withdrawn,
} from './failed-call.ts';
import { giveCall } from './given-call.ts';
import { afterModel, hookedPrompt, hookFailure } from './model-hooks.ts';
import { routeOf } from './route.ts';
import { sentenceFor } from './sentence.ts';
import { callIdOf, takeAnswer } from './take-answer.ts';

/** A prepared model call. */
interface Asked {
  /** `provider/model` */
  name: string;
  request: ModelRequest;
  /** The last transition whose messages are in the prompt, and the sources of untrusted text in them. */
  seen: Pick<AssistantBody, 'upTo' | 'tainted'>;
  isHeldBack: boolean;
}

/**
 * Performs `effect.callModel`: builds the prompt from rows, calls the model and returns its answer as a fact. A run of
 * an earlier version that makes one given call has the answer already.
 */
export async function think(services: AgentServices, job: RunEffect): Promise<Fact> {
  const { options, attempt } = job;
  if (options.call) return giveCall(services, job, options.call);
  // The driver of an earlier attempt died. Its words may still be on a screen.
  if (attempt > 1) job.signalWatchers(deltaReset(job.effectId, attempt - 1));
  const route = routeOf(options, job.run, job.context);
  const { name } = route;
  let model: ResolvedModel;
  try {
    model = await services.models.resolve(name, options.endpoint);
  } catch (error) {
    return unavailable(services, job, route, error);
  }
  const prompt = await hookedPrompt(services, job, { name, model });
  if ('event' in prompt) return prompt;
  const request = requestOf(options, model, prompt);
  const question = await services.cache?.lookUp(job, name, request);
  const kept = question?.answer;
  const refusal = kept ? null : await reserveCall(services, job, { model, tokens: prompt.tokens });
  if (refusal) {
    const said = request.messages.findLast(({ role }) => role === 'user');
    const sentence = sentenceFor(options, said && 'text' in said ? said.text : '');
    if (sentence === null) return overBudget(job, refusal);
    const answer = sentenceAnswer(sentence);
    tellWhole(services, job, answer);
    return answeredByBudget(job, prompt, answer, refusal);
  }
  // With an afterModel hook, watchers get no deltas and no partial answer is kept: the hook might change or veto it.
  const isHeldBack = hasHooks(services.hooks, 'afterModel');
  const seen = { upTo: prompt.upTo, ...(prompt.tainted.length > 0 && { tainted: [...prompt.tainted] }) };
  const asking = { name, request, seen, isHeldBack };
  const given = kept ?? withCharge(await askModel(services, job, model, asking), prompt.tokens);
  // An open circuit calls no provider, so it needs no reservation.
  if (given.error?.code !== 'MODEL_CIRCUIT_OPEN')
    noteCall(job.notes, { purpose: 'think', name, model, answer: given, cached: Boolean(kept) });
  const asked = { effectId: job.effectId, ...seen, provider: name, estimated: prompt.estimated };
  const bodyOf = (answer: ModelAnswer) => assistantBody(answer, asked, model);
  const cost = costOf(given, model);
  const { error } = given;
  if (error?.code === 'MODEL_CONTEXT_OVERFLOW')
    recordCalibration(
      services.calibrations,
      name,
      learnedFromRefusal(prompt, model.contextWindow, error.message),
    );
  const { tokens } = prompt;
  const failure = error && (await failureOf(services, job, { error, answer: given, cost, route, tokens }));
  if (failure?.isCalledAgain)
    return withdrawn(job, failure.event, bodyOf(isHeldBack ? withoutWords(given) : given));
  const answer = await afterModel(services, job, name, given);
  if ('code' in answer) return hookFailure(job, answer, cost);
  const isUntold = kept || isHeldBack || request.stream === false;
  if (isUntold && !job.signal.aborted) tellWhole(services, job, answer);
  const body = bodyOf(answer);
  if (failure) return failedForGood(failure.event, body);
  const bound = { ...services, toolbox: await boundBySkills(services, prompt.followed) };
  const fact = await takeAnswer(bound, job, { answer, body, cost });
  // An answer that does not fit is not cached: every run that found it would need a second call.
  const isWorthKeeping = fact.event.fits !== false;
  return question && !kept && isWorthKeeping ? question.keep(fact, given) : fact;
}

function requestOf(options: RunOptions, model: ResolvedModel, { messages, tools }: Prompt): ModelRequest {
  return {
    model: model.model,
    messages,
    tools,
    ...(options.output && { output: { schema: options.output } }),
    ...(model.sendMaxOutputTokens && { maxOutputTokens: model.maxOutputTokens }),
    ...(options.stream === false && { stream: false }),
  };
}

async function askModel(
  { partials, redactStream }: AgentServices,
  job: RunEffect,
  { chat }: ResolvedModel,
  { name, request, seen, isHeldBack }: Asked,
): Promise<ModelAnswer> {
  const { effectId, run } = job;
  const partial = partials.open(run.id, effectId, { ...seen, provider: name });
  const told = new DeltaStream(redactStream, job);
  const onDelta = (delta: ModelDelta) => {
    if (isHeldBack) return;
    partial.add(delta);
    if (request.stream !== false) told.push(delta);
  };
  try {
    const { signal, idempotencyKey } = job;
    const answer = await chat.generate(request, { signal, idempotencyKey, onDelta });
    return withKnownUsage(answer, (message) => job.signalWatchers({ type: 'log', message }));
  } finally {
    told.end();
    partials.close(run.id);
  }
}

/** Stores the partial answer of a model call that the end of its run aborts. */
export function* keepPartialAnswer(
  { partials }: Pick<AgentServices, 'partials'>,
  scope: CommitScope,
  ids: readonly number[],
): Program<void> {
  for (const effectId of ids) {
    const body = partials.take(scope.row.id, effectId);
    if (!body) continue;
    yield* writeMessage(scope, 'assistant', body);
    // The provider's charge is unknown, so no tokens and no price.
    yield* writeUsage(scope, effectId, [
      { purpose: 'think', name: body.provider, answer: body, costUsd: null, cached: false },
    ]);
  }
}

/** An answer without its content: only the cost is stored. */
function withoutWords({ providerData: _, ...answer }: ModelAnswer): ModelAnswer {
  return { ...answer, text: '', reasoning: '', refusal: '', toolCalls: [] };
}

function tellWhole(services: AgentServices, job: RunEffect, answer: ModelAnswer): void {
  const told = new DeltaStream(services.redactStream, job);
  for (const delta of wholeDeltas(answer)) told.push(delta);
  told.end();
}

function assistantBody(
  answer: ModelAnswer,
  asked: Pick<AssistantBody, 'effectId' | 'upTo' | 'tainted' | 'provider' | 'estimated'>,
  model: ResolvedModel,
): AssistantBody {
  const { error, toolCalls, usage, began: _, ...said } = answer;
  return {
    ...asked,
    ...said,
    usage,
    costUsd: costUsdOf(answer, model),
    toolCalls: toolCalls.map((call, i) => ({ callId: callIdOf(asked.effectId, i), ...call })),
    error: error && { code: error.code, message: error.message, retryable: error.retryable },
  };
}

function costUsdOf(answer: ModelAnswer, { price }: ResolvedModel): number | null {
  return answer.cached ? 0 : usageOf(answer, price).costUsd;
}

function costOf(answer: ModelAnswer, model: ResolvedModel): CallCost {
  const { usage } = answer;
  return {
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costUsd: costUsdOf(answer, model) ?? 0,
  };
}
