import type { CallCost, RunContext, RunFailure } from '../../../machines/run.types.ts';
import type { EffectJob, Fact } from '../../engine/machine-host.ts';
import type { ModelAnswer } from '../../protocol/answer.ts';
import type { RunOptions } from '../../records/run-options.ts';
import { forgetCompaction, mayCompact } from '../hooks/compact-hooks.ts';
import { describeStop, hasHooks, hookedRun, noteHooks, runHooks, type Stopped } from '../hooks/run-hooks.ts';
import type { Prompt, PromptRequest } from '../prompt/prompt.ts';
import { buildPrompt } from '../prompt/prompt.ts';
import { addedText, startContext } from '../prompt/start-context.ts';
import type { AgentServices } from '../services.ts';
import { noCost } from './failed-call.ts';

/**
 * The prompt of a model call as the hooks leave it, or the fact that takes its place: it must be made smaller first, or
 * a hook refused the call.
 */
export async function hookedPrompt(
  services: AgentServices,
  job: EffectJob,
  options: RunOptions,
  target: PromptRequest,
): Promise<Prompt | Fact> {
  const { hooks, memory } = services;
  if (!hooks && !memory) return buildPrompt(services, job, options, target);
  forgetCompaction(job);
  const start = await startContext(services, job, target.name);
  if ('code' in start) return hookFailure(job, start);
  const first = { ...target, added: { run: job.run.pk, start, now: [] as string[] } };
  const prompt = await compacted(services, job, options, first);
  if ('event' in prompt || !hasHooks(hooks, 'beforeModel')) return prompt;
  const { steps, attempt } = job.context as RunContext;
  const { messages, tools, tokens } = prompt;
  const { added, stopped, records } = await runHooks(hooks, 'beforeModel', job.signal, {
    value: null,
    viewOf: () => ({
      ...hookedRun(job.run),
      model: target.name,
      steps,
      attempt,
      tokens,
      tools: tools.map(({ name }) => name),
      messages: () => structuredClone([...messages]),
    }),
  });
  noteHooks(job, records);
  if (stopped) return hookFailure(job, stopped);
  if (added.length === 0) return prompt;
  const now = added.map((each) => addedText(services, each));
  return compacted(services, job, options, { ...first, added: { ...first.added, now } });
}

/** What the model has said, as the hooks leave it; or what stopped it. An answer of nothing is shown to nobody. */
export async function afterModel(
  { hooks, redact }: AgentServices,
  job: EffectJob,
  name: string,
  answer: ModelAnswer,
): Promise<ModelAnswer | Stopped> {
  const isNothing = answer.text === '' && answer.toolCalls.length === 0 && answer.error !== null;
  if (!hasHooks(hooks, 'afterModel') || isNothing) return answer;
  const { finish, usage, error } = answer;
  const { value, rewrittenBy, stopped, records } = await runHooks(hooks, 'afterModel', job.signal, {
    value: redact(answer.text),
    viewOf: (text) => ({
      ...hookedRun(job.run),
      model: name,
      text,
      toolCalls: answer.toolCalls.map((call) => ({ name: call.name, arguments: redact(call.arguments) })),
      finish,
      usage: usage && { ...usage },
      isPartial: error !== null,
    }),
    noted: (before, after) => ({ chars: [before.length, after.length] }),
  });
  noteHooks(job, records);
  if (stopped) return stopped;
  if (rewrittenBy === null) return answer;
  // What the provider would be shown again of its own answer holds the words that were taken out.
  const { providerData: _, ...rest } = answer;
  return { ...rest, text: value };
}

/** The fact of a model call that a hook refused, before it was made or after. */
export function hookFailure({ effectId }: EffectJob, stopped: Stopped, cost: CallCost = noCost): Fact {
  const error: RunFailure = { code: stopped.code, message: describeStop(stopped), retryable: false };
  const outcome = 'blocked_by_environment';
  return { event: { type: 'model.failed', effectId, error, outcome, partial: false, delayMs: 0, cost } };
}

/** Builds the prompt; when it is to be compacted first, and a hook refuses that, it is cut to fit instead. */
async function compacted(
  services: AgentServices,
  job: EffectJob,
  options: RunOptions,
  request: PromptRequest,
): Promise<Prompt | Fact> {
  const prompt = await buildPrompt(services, job, options, request);
  if (!('event' in prompt) || prompt.event.type !== 'context.tooBig' || job.params.compaction !== true)
    return prompt;
  const stopped = await mayCompact(services, job);
  return stopped ? buildPrompt(services, job, options, { ...request, compaction: false }) : prompt;
}
