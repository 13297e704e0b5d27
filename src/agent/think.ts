import type { AnswerCall, RunContext, RunFailure } from '../../machines/run.types.ts';
import { shortHash } from '../engine/hash.ts';
import type { EffectJob, Fact } from '../engine/machine-host.ts';
import type { ModelAnswer, ModelDelta, ModelError, ModelToolCall } from '../protocol/answer.ts';
import { DetentError, messageOf } from '../protocol/error.ts';
import type { CallInput } from './call-input.ts';
import { argumentsHash } from './call-input.ts';
import type { PromptMessage, ResolvedModel } from './chat-model.ts';
import { readConversation } from './conversation.ts';
import { DeltaStream } from './delta-stream.ts';
import { cutToFit } from './fit.ts';
import { writeMessage } from './message-rows.ts';
import type { AssistantBody, ToolBody } from './messages.ts';
import type { PartialAnswers } from './partial-answers.ts';
import { toPrompt } from './projection.ts';
import { backoffMs } from './retry-policy.ts';
import { type RunOptions, usageOf } from './run-options.ts';
import type { AgentServices } from './services.ts';
import { estimatePrompt } from './tokens.ts';
import type { CallPlan } from './toolbox.ts';
import { wholeDeltas } from './whole-deltas.ts';

const noCost = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** Performs `effect.callModel`: builds the prompt from rows, asks the model, and brings back its answer as a fact. */
export async function think(
  services: AgentServices,
  partials: PartialAnswers,
  job: EffectJob,
): Promise<Fact> {
  const { effectId, run } = job;
  const options = JSON.parse(run.options) as RunOptions;
  const context = job.context as RunContext;
  let model: ResolvedModel;
  try {
    model = await services.models.resolve(options.model, options.endpoint);
  } catch (error) {
    return unavailable(effectId, error);
  }
  const tools = services.toolbox.specs(options.tools);
  const { summary, blocks, upTo } = await readConversation(services.store, job, context.unseen);
  const frame = { system: options.system, summary, provider: options.model };
  const room = model.contextWindow - model.maxOutputTokens;
  let messages: PromptMessage[] | null = toPrompt(blocks, frame);
  const tokens = estimatePrompt(messages, tools);
  if (tokens > room) {
    messages = job.params.compaction === true ? null : cutToFit(blocks, frame, tools, room);
    if (!messages) return { event: { type: 'context.tooBig', effectId, tokens } };
  }

  const partial = partials.open(run.id, effectId, { upTo, provider: options.model });
  const told = new DeltaStream(services.redactStream, (delta, offset) =>
    job.signalWatchers({ type: 'delta', delta, offset }),
  );
  const isWhole = options.stream === false;
  const onDelta = (delta: ModelDelta) => {
    partial.add(delta);
    if (!isWhole) told.push(delta);
  };
  let answer: ModelAnswer;
  try {
    answer = await model.chat.generate(
      {
        model: model.model,
        messages,
        tools,
        ...(model.sendMaxOutputTokens && { maxOutputTokens: model.maxOutputTokens }),
        ...(isWhole && { stream: false }),
      },
      { signal: job.signal, idempotencyKey: job.idempotencyKey, onDelta },
    );
    if (isWhole && !job.signal.aborted) for (const delta of wholeDeltas(answer)) told.push(delta);
  } finally {
    told.end();
    partials.close(run.id);
  }
  const body = assistantBody(answer, { effectId, upTo, provider: options.model }, model);
  if (answer.error)
    return failed(services, answer.error, answer, body, { effectId, attempt: context.attempt, tokens });
  return answered(services, job, options, answer, body);
}

function assistantBody(
  answer: ModelAnswer,
  asked: Pick<AssistantBody, 'effectId' | 'upTo' | 'provider'>,
  { price }: ResolvedModel,
): AssistantBody {
  const { error, toolCalls, usage, ...said } = answer;
  return {
    ...asked,
    ...said,
    usage,
    costUsd: usageOf(answer, price).costUsd,
    toolCalls: toolCalls.map((call, i) => ({ callId: callIdOf(asked.effectId, i), ...call })),
    error: error && { code: error.code, message: error.message, retryable: error.retryable },
  };
}

/** While a model call is in flight nothing else mints ids, so the numbers after its own are its calls'. */
function callIdOf(effectId: number, index: number): number {
  return effectId + 1 + index;
}

function costOf({ usage, costUsd }: AssistantBody) {
  return {
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    costUsd: costUsd ?? 0,
  };
}

function failed(
  services: AgentServices,
  error: ModelError,
  answer: ModelAnswer,
  body: AssistantBody,
  { effectId, attempt, tokens }: { effectId: number; attempt: number; tokens: number },
): Fact {
  if (error.code === 'MODEL_CONTEXT_OVERFLOW')
    return { event: { type: 'context.tooBig', effectId, tokens, message: error.message } };
  const partial =
    answer.text !== '' || answer.reasoning !== '' || answer.refusal !== '' || answer.toolCalls.length > 0;
  const delayMs = partial ? null : backoffMs(error, attempt, services.random);
  return {
    event: {
      type: 'model.failed',
      effectId,
      error: { code: error.code, message: error.message, retryable: error.retryable && delayMs !== null },
      outcome: 'provider_error',
      partial,
      delayMs: delayMs ?? 0,
      cost: costOf(body),
    },
    ...(partial && { writes: (scope) => writeMessage(scope, 'assistant', body) }),
  };
}

/** The model cannot be asked at all: its name or its key is wrong. */
function unavailable(effectId: number, error: unknown): Fact {
  const known = DetentError.is(error);
  const failure: RunFailure = {
    code: known ? error.code : 'INTERNAL',
    message: messageOf(error),
    retryable: false,
  };
  const outcome = known ? 'provider_error' : 'internal_error';
  return {
    event: {
      type: 'model.failed',
      effectId,
      error: failure,
      outcome,
      partial: false,
      delayMs: 0,
      cost: noCost,
    },
  };
}

async function answered(
  services: AgentServices,
  { effectId, run }: EffectJob,
  options: RunOptions,
  answer: ModelAnswer,
  body: AssistantBody,
): Promise<Fact> {
  const calls: AnswerCall[] = [];
  const inputs = new Map<number, string>();
  const refused: ToolBody[] = [];
  // A filtered or refused answer ends the run, so its calls are never taken up.
  const isCut = answer.finish === 'contentFilter' || answer.finish === 'refusal';
  const taken = isCut ? { ...body, toolCalls: [] } : body;
  const planContext = {
    runId: run.id,
    sessionId: run.sessionKey,
    allowed: options.tools,
    approve: options.approve,
  };
  for (const [i, call] of (isCut ? [] : answer.toolCalls).entries()) {
    const callId = callIdOf(effectId, i);
    const plan = await services.toolbox.plan(call.name, call.arguments, planContext);
    calls.push(answerCall(callId, call, plan));
    if (plan.gate === 'refuse')
      refused.push({
        callId,
        text: plan.text,
        isError: true,
        code: plan.code,
        status: isPolicy(plan.code) ? 'rejected' : 'failed',
      });
    else inputs.set(callId, JSON.stringify(await callInput(call, plan)));
  }
  return {
    event: {
      type: 'model.done',
      effectId,
      finish:
        answer.finish === 'stop' && answer.text === '' && answer.refusal !== '' ? 'refusal' : answer.finish,
      text: answer.text.trim() !== '',
      calls,
      cost: costOf(body),
    },
    inputs,
    *writes(scope) {
      yield* writeMessage(scope, 'assistant', taken);
      for (const result of refused) yield* writeMessage(scope, 'tool', result);
    },
  };
}

async function callInput(call: ModelToolCall, plan: CallPlan): Promise<CallInput> {
  return {
    name: call.name,
    arguments: call.arguments,
    why: plan.why,
    // Only a person compares hashes, so only what is asked is hashed.
    hash: plan.gate === 'ask' ? await argumentsHash(call.arguments) : '',
  };
}

function answerCall(callId: number, call: ModelToolCall, plan: CallPlan): AnswerCall {
  if (plan.gate !== 'refuse') return { callId, gate: plan.gate, class: plan.sideEffect };
  return {
    callId,
    gate: 'refuse',
    class: 'readonly',
    byPolicy: isPolicy(plan.code),
    key: callKey(call.name, call.arguments),
  };
}

function isPolicy(code: string): boolean {
  return code === 'TOOL_NOT_ALLOWED' || code === 'REJECTED_BY_POLICY';
}

/** By which a repeated call is known. */
export function callKey(name: string, rawArguments: string): string {
  return shortHash(`${name}\n${rawArguments}`);
}
