import type { CallCost, RunFailure } from '../../../machines/run.types.ts';
import { describeStop, hasHooks, hookedRun, runHooks, type Stopped } from '../../call/hooks.ts';
import type { Fact } from '../../engine/machine.ts';
import type { ModelAnswer } from '../../protocol/content.ts';
import type { RunEffect, RunJob } from '../effect/run-effect.ts';
import { mayCompact } from '../hooks/before-compact.ts';
import { buildPrompt, type Prompt, type PromptRequest } from '../prompt/prompt.ts';
import { addedText, startContext } from '../prompt/start-context.ts';
import type { AgentServices } from '../services.ts';
import { noCost } from './failed-call.ts';

/**
 * The prompt of a model call after its hooks; or, instead of the call, the fact that the prompt must be pruned or
 * compacted first, or that a hook vetoed the call.
 */
export async function hookedPrompt(
  services: AgentServices,
  job: RunEffect,
  target: PromptRequest,
): Promise<Prompt | Fact> {
  const { hooks, memory } = services;
  if (!hooks && !memory) return buildPrompt(services, job, target);
  // The next compaction asks its hooks again.
  job.cache.compaction = null;
  const start = await startContext(services, job, target.name);
  if ('code' in start) return hookFailure(job, start);
  const first = { ...target, added: { run: job.run.pk, start, now: [] as string[] } };
  const prompt = await compacted(services, job, first);
  if ('event' in prompt || !hasHooks(hooks, 'beforeModel')) return prompt;
  const { steps, attempt } = job.context;
  const { messages, tools, tokens } = prompt;
  const { added, stopped, records } = await runHooks(hooks, 'beforeModel', job.signal, {
    value: null,
    viewOf: () => ({
      ...hookedRun(job.run, job.options),
      model: target.name,
      steps,
      attempt,
      tokens,
      tools: tools.map(({ name }) => name),
      messages: () => structuredClone([...messages]),
    }),
  });
  job.notes.hooks.push(...records);
  if (stopped) return hookFailure(job, stopped);
  if (added.length === 0) return prompt;
  const now = added.map((each) => addedText(services, each));
  return compacted(services, job, { ...first, added: { ...first.added, now } });
}

/** The model's answer after its hooks, or the veto. Hooks do not see empty answers. */
export async function afterModel(
  { hooks, redact }: AgentServices,
  job: RunEffect,
  name: string,
  answer: ModelAnswer,
): Promise<ModelAnswer | Stopped> {
  const isNothing = answer.text === '' && answer.toolCalls.length === 0 && answer.error !== null;
  if (!hasHooks(hooks, 'afterModel') || isNothing) return answer;
  const { finish, usage, error } = answer;
  const { value, rewrittenBy, stopped, records } = await runHooks(hooks, 'afterModel', job.signal, {
    value: redact(answer.text),
    viewOf: (text) => ({
      ...hookedRun(job.run, job.options),
      model: name,
      text,
      toolCalls: answer.toolCalls.map((call) => ({ name: call.name, arguments: redact(call.arguments) })),
      finish,
      usage: usage && { ...usage },
      isPartial: error !== null,
    }),
    noted: (before, after) => ({ chars: [before.length, after.length] }),
  });
  job.notes.hooks.push(...records);
  if (stopped) return stopped;
  if (rewrittenBy === null) return answer;
  // `providerData` still has the original text and would go back to the provider.
  const { providerData: _, ...rest } = answer;
  return { ...rest, text: value };
}

/** The fact of a model call that a hook vetoed, before or after the call. */
export function hookFailure({ effectId }: RunJob, stopped: Stopped, cost: CallCost = noCost): Fact {
  const error: RunFailure = { code: stopped.code, message: describeStop(stopped), retryable: false };
  const outcome = 'blocked_by_environment';
  return { event: { type: 'model.failed', effectId, error, outcome, partial: false, delayMs: 0, cost } };
}

/** Builds the prompt. If it needs a compaction and a hook vetoes that, the prompt is cut to fit instead. */
async function compacted(
  services: AgentServices,
  job: RunEffect,
  request: PromptRequest,
): Promise<Prompt | Fact> {
  const prompt = await buildPrompt(services, job, request);
  if (!('event' in prompt) || prompt.event.type !== 'context.tooBig' || job.params.compaction !== true)
    return prompt;
  const stopped = await mayCompact(services, job);
  return stopped ? buildPrompt(services, job, { ...request, compaction: false }) : prompt;
}
