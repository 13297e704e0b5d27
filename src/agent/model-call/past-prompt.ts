import type { HookRecord, PromptMessage, ToolSpec } from '../../protocol/ports.ts';
import type { AssistantBody } from '../../store/stored-message.ts';
import { newNotes, newRunCache, type PromptJob, type PromptPlace } from '../effect/run-effect.ts';
import { buildPrompt, type PromptRequest } from '../prompt/prompt.ts';
import { addedText, loggedStart } from '../prompt/start-context.ts';
import { type AgentParts, newServices, servicesFor } from '../services.ts';
import { followedSkills } from '../skills/followed.ts';
import { choiceOf } from '../skills/skill-choice.ts';
import { routeOf } from './route.ts';

/** A model call of a run, as the run's records have it. */
export interface PastCall extends Pick<PromptJob, 'options' | 'context' | 'effectId'> {
  /** The run as it stood when the call was made. */
  run: PromptJob['run'];
  place: PromptPlace;
  /** The answers before it, oldest first: results may have been shortened up to any of them. */
  answers: readonly PromptPlace['pruned'][];
  /** What hooks did in this call. */
  hooks: readonly HookRecord[];
  /** What was stored of its answer; null when no answer is stored. */
  answer: Pick<AssistantBody, 'provider' | 'estimated'> | null;
}

export interface PastPrompt {
  /** `provider/model`. */
  name: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolSpec[];
  /** Its estimated tokens. */
  estimated: number;
}

const nowhere = { run: 0, seq: 0 };

/** In place of a model that this program cannot call, or whose window is not to count. */
const unlimited: PromptRequest['model'] = {
  model: '',
  accepts: ['image', 'pdf'],
  contextWindow: Number.MAX_SAFE_INTEGER,
  maxOutputTokens: 0,
};

/**
 * The prompt of a model call, built once more with the tools, skills and models of this program. Null when it does not fit the
 * model's window. Calls no model and no hook.
 */
export async function pastPrompt(parts: AgentParts, call: PastCall): Promise<PastPrompt | null> {
  const { answer, place } = call;
  const given = await built(parts, call, place);
  if (given?.estimated === answer?.estimated || place.pruned.run === 0) return given;
  return (await withFewerShortened(parts, call)) ?? given;
}

/**
 * More results may be shortened now than were then, and no record says up to where they were. But a prompt of which more is shortened
 * is smaller, and its size is stored: null when none has that size.
 */
async function withFewerShortened(parts: AgentParts, call: PastCall): Promise<PastPrompt | null> {
  const { answer, place, answers } = call;
  const size = answer?.estimated;
  if (size === undefined) return null;
  const places = [nowhere, ...answers];
  for (let [low, high] = [0, places.length - 1]; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const pruned = places[middle] ?? nowhere;
    const prompt = await built(parts, call, { ...place, pruned }, unlimited);
    if (prompt === null || prompt.estimated === size) return prompt;
    if (prompt.estimated > size) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

async function built(
  parts: AgentParts,
  call: PastCall,
  place: PromptPlace,
  limits?: Pick<PromptRequest['model'], 'contextWindow'>,
): Promise<PastPrompt | null> {
  const { run, options, context, effectId, hooks, answer } = call;
  const services = await servicesFor(newServices(parts), call);
  const name = answer?.provider ?? routeOf(options, run, context).name;
  // A look at a prompt needs neither the key nor the address of its model.
  const found = await services.models.resolve(name, options.endpoint).catch(() => unlimited);
  const model = limits ? { ...found, contextWindow: limits.contextWindow, maxOutputTokens: 0 } : found;
  const cache = newRunCache();
  cache.followed = await followedSkills(services.store, run, options, { upTo: run.seq });
  cache.skillChoice = await choiceOf(services.store, run);
  const added = {
    run: run.pk,
    start: await loggedStart(services, call),
    now: hooks.flatMap((record) =>
      record.hook === 'beforeModel' && record.did === 'addContext' ? [addedText(services, record)] : [],
    ),
  };
  // Without parameters, a prompt is neither pruned nor compacted.
  const job = { run, options, context, effectId, cache, notes: newNotes(), params: {} };
  const prompt = await buildPrompt(services, job, { name, model, added, place });
  return 'event' in prompt
    ? null
    : { name, messages: prompt.messages, tools: prompt.tools, estimated: prompt.estimated };
}
