import type { RunContext } from '../../../machines/run.types.ts';
import { taintOf } from '../../call/policy.ts';
import type { Fact } from '../../engine/machine.ts';
import type { FollowedSkill, PromptMessage, ResolvedModel, ToolSpec } from '../../protocol/ports.ts';
import type { StoredTaint } from '../../store/stored-message.ts';
import type { PromptJob, PromptPlace } from '../effect/run-effect.ts';
import { tell } from '../effect/statements.ts';
import type { AgentServices } from '../services.ts';
import { followedBy } from '../skills/followed.ts';
import { showSkills } from '../skills/skill-choice.ts';
import { calibrationOf } from './calibration.ts';
import { isWorthCompacting } from './compaction-point.ts';
import { type ContextBudget, contextBudget } from './context-budget.ts';
import { cutToFit } from './fit.ts';
import { partsToSend } from './parts-to-send.ts';
import { type AddedContext, toPrompt } from './projection.ts';
import { planPruning, withoutOldResults } from './pruning.ts';
import { type Conversation, readConversation } from './read-conversation.ts';

/** The input of a prompt. */
export interface PromptRequest {
  /** `provider/model` of the model to call. */
  name: string;
  model: Pick<ResolvedModel, 'model' | 'accepts' | 'contextWindow' | 'maxOutputTokens'>;
  /** Texts from hooks. */
  added?: AddedContext;
  /** False: cut a prompt that is too long instead of compacting, whatever the effect says. */
  compaction?: boolean;
  /** Where the conversation begins. Default: where its session stands now. */
  place?: PromptPlace;
}

/** A finished prompt. */
export interface Prompt {
  messages: readonly PromptMessage[];
  tools: readonly ToolSpec[];
  /** The last transition whose messages are in it. */
  upTo: number;
  /** The provider's expected count. */
  tokens: number;
  /** The uncalibrated estimate, stored with the provider's count for later calibration. */
  estimated: number;
  /** The part of the estimate for the system prompt and the tools. */
  fixed: number;
  /** The sources of untrusted text in the conversation. */
  tainted: readonly StoredTaint[];
  /** The skills that the run follows. */
  followed: readonly FollowedSkill[];
}

/**
 * The prompt of a model call, built from rows, or the fact that it must be pruned or compacted first. From `pruneAt` on,
 * pruning shortens old tool results, if that frees enough. From `compactAt` on, compaction summarises older messages, if
 * there are enough. A prompt that is still too big is cut.
 */
export async function buildPrompt(
  services: AgentServices,
  job: PromptJob,
  { name, model, added, compaction = true, place }: PromptRequest,
): Promise<Prompt | Fact> {
  const { effectId, params, options, context } = job;
  await services.toolbox.ready(options.tools);
  const conversation = await readConversation(services.store, job, context.unseen, place);
  const followed = await followedBy(services.store, job);
  const { tools, start } = await showSkills(services, job, {
    tools: services.toolbox.specs(options.tools, followed),
    blocks: conversation.blocks,
  });
  const budget = contextBudget(
    model,
    options.context,
    calibrationOf(services.calibrations, name, conversation),
  );
  const { summary, blocks, pruned, upTo } = conversation;
  const shown = withoutOldResults(blocks, pruned);
  const sent = await partsToSend(services.store, job, shown, model);
  const frame = {
    system: options.system,
    summary,
    provider: name,
    pruned,
    sent,
    ...withStart(job, added, start),
  };
  const messages = toPrompt(blocks, frame);
  const { weights } = services;
  // The provider counts the output schema, too, about like the parameters of a tool.
  const counted = options.output
    ? [...tools, { name: 'output', description: '', parameters: options.output }]
    : tools;
  const estimated = weights.ofPrompt(messages, counted);
  const tokens = Math.round(estimated * budget.ratio);

  if (params.pruning === true && estimated > budget.pruneAt) {
    const pruning = prune(job, conversation, budget, tokens);
    if (pruning) return pruning;
  }
  const isTooBig = estimated > budget.room;
  const mayCompact = compaction && params.compaction === true;
  if (mayCompact && (isTooBig || shouldCompact(context, conversation, estimated, budget)))
    return { event: { type: 'context.tooBig', effectId, tokens } };
  const fixed = weights.ofPrompt(toPrompt([], { ...frame, summary: null }), counted);
  const tainted = taintOf(conversation.read, services.toolbox, options.tainted);
  if (!isTooBig) return { messages, tools, upTo, tokens, estimated, fixed, tainted, followed };
  const cut = cutToFit(shown, frame, counted, budget.room, weights);
  if (!cut) return { event: { type: 'context.tooBig', effectId, tokens } };
  const left = weights.ofPrompt(cut, counted);
  const sized = { tokens: Math.round(left * budget.ratio), estimated: left };
  return { messages: cut, tools, upTo, ...sized, fixed, tainted, followed };
}

/** The skills that may fit the request, then the texts from hooks. */
function withStart(
  { run }: PromptJob,
  added: AddedContext | undefined,
  start: readonly string[],
): { added?: AddedContext } {
  if (start.length === 0) return added ? { added } : {};
  const { now = [], start: others = [] } = added ?? {};
  return { added: { run: run.pk, start: [...start, ...others], now } };
}

/** Moves the pruning pointer in the commit of the fact, so that every process builds the same prompt from then on. */
function prune(
  { effectId, run, cache }: PromptJob,
  { blocks, pruned }: Conversation,
  budget: ContextBudget,
  tokens: number,
): Fact | null {
  const plan = planPruning(blocks, pruned, budget);
  if (!plan) return null;
  const { to, results } = plan;
  const saved = Math.round(plan.saved * budget.ratio);
  cache.place = null;
  return {
    event: { type: 'context.pruned', effectId, results, tokens, saved },
    *writes() {
      yield* tell('moveSessionPruning', { session: run.session, ...to });
    },
  };
}

/** Maximum of early compactions for one answer; the machine counts them together with prunings, and stops after three. */
const maxAhead = 2;

function shouldCompact(
  { care }: RunContext,
  { blocks, pruned }: Conversation,
  estimated: number,
  budget: ContextBudget,
): boolean {
  if (care >= maxAhead || estimated <= budget.compactAt) return false;
  return isWorthCompacting(withoutOldResults(blocks, pruned), budget);
}
