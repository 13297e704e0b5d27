import type { CallCost, RunFailure } from '../../../machines/run.types.ts';
import { type ModelAnswer, noTokens, type Usage, unanswered } from '../../protocol/content.ts';
import { estimatePrompt, type PromptMessage, type ToolSpec } from '../../protocol/ports.ts';
import type { RunEffect } from '../effect/run-effect.ts';
import { noCost } from '../model-call/failed-call.ts';
import { learnedFromRefusal, recordCalibration } from '../prompt/calibration.ts';
import type { AgentServices } from '../services.ts';
import { withCharge } from '../usage/broken-call.ts';
import { reserveCall } from '../usage/budgets.ts';
import { withKnownUsage } from '../usage/known-usage.ts';
import { noteCall } from '../usage/ledger.ts';
import { usageOf } from '../usage/model-cost.ts';
import type { CompactionPlan } from './plan.ts';

interface CompactionRequest {
  purpose: 'flush' | 'compact';
  messages: readonly PromptMessage[];
  tools: readonly ToolSpec[];
}

interface CompactionAnswer {
  answer: ModelAnswer;
  /** Why the shared budget did not admit the call; null when the model was called. */
  overBudget: RunFailure | null;
  usage: Usage;
  cost: CallCost;
  /** Detent's estimate of the prompt's tokens. */
  estimated: number;
}

/** Calls the run's model for a flush or a summary. Watchers get no deltas. A prompt refused as too long teaches the window. */
export async function askForCompaction(
  services: AgentServices,
  job: RunEffect,
  { name, model }: CompactionPlan,
  { purpose, messages, tools }: CompactionRequest,
): Promise<CompactionAnswer> {
  const { options } = job;
  const estimated = estimatePrompt(messages, tools);
  const refusal = await reserveCall(services, job, { model, tokens: estimated });
  if (refusal)
    return {
      answer: refused(refusal),
      overBudget: refusal,
      usage: { ...noTokens, costUsd: null },
      cost: noCost,
      estimated,
    };
  const given = await model.chat.generate(
    {
      model: model.model,
      messages,
      tools,
      ...(model.sendMaxOutputTokens && { maxOutputTokens: model.maxOutputTokens }),
      ...(options.stream === false && { stream: false }),
    },
    { signal: job.signal, idempotencyKey: job.idempotencyKey, onDelta: () => {} },
  );
  const known = withKnownUsage(given, (message) => job.signalWatchers({ type: 'log', message }));
  const answer = withCharge(known, estimated);
  noteCall(job.notes, { purpose, name, model, answer });
  if (answer.error?.code === 'MODEL_CONTEXT_OVERFLOW')
    recordCalibration(
      services.calibrations,
      name,
      learnedFromRefusal({ estimated, fixed: 0 }, model.contextWindow, answer.error.message),
    );
  const usage = usageOf(answer, model.price);
  const { inputTokens, outputTokens, costUsd } = usage;
  const cost = { inputTokens, outputTokens, costUsd: costUsd ?? 0 };
  return { answer, overBudget: null, usage, cost, estimated };
}

/** The shared budget did not admit the call, so no model was called. */
function refused({ code, message }: RunFailure): ModelAnswer {
  return unanswered('', { kind: 'permission', code, message, retryable: false });
}
