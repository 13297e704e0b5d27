import type { RunContext } from '../../../machines/run.types.ts';
import type { Fact } from '../../engine/machine-host.ts';
import type { PromptMessage, ResolvedModel, ToolSpec } from '../../ports/chat-model.ts';
import type { FollowedSkill } from '../../ports/skill-source.ts';
import type { StoredTaint } from '../../records/messages.ts';
import { taintOf } from '../policy/taint.ts';
import type { RunEffect } from '../run-effect.ts';
import type { AgentServices } from '../services.ts';
import { followedBy } from '../skills/followed.ts';
import { showSkills } from '../skills/skill-choice.ts';
import { ask } from '../statements.ts';
import { calibrationOf } from './calibration.ts';
import { isWorthCompacting } from './compaction-point.ts';
import { type ContextBudget, contextBudget } from './context-budget.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { cutToFit } from './fit.ts';
import { partsToSend } from './parts-to-send.ts';
import { type AddedContext, toPrompt } from './projection.ts';
import { planPruning, withoutOldResults } from './pruning.ts';

/** What a prompt is built for. */
export interface PromptRequest {
  /** `provider/model` of the model that is about to be called. */
  name: string;
  model: ResolvedModel;
  /** What hooks add to it. */
  added?: AddedContext;
  /** False: a prompt that is too long is cut, whatever the effect says. */
  compaction?: boolean;
}

/** What a model call is asked with. */
export interface Prompt {
  messages: readonly PromptMessage[];
  tools: readonly ToolSpec[];
  /** The last transition whose messages are in it. */
  upTo: number;
  /** As the provider is likely to count them. */
  tokens: number;
  /** By our own rule alone: beside it the provider's count is put, to learn from. */
  estimated: number;
  /** Those of them that are the system prompt and the tools. */
  fixed: number;
  /** Where untrusted text in the conversation came from. */
  tainted: readonly StoredTaint[];
  /** The skills that the run follows. */
  followed: readonly FollowedSkill[];
}

/**
 * The prompt of a model call, built from rows; or the fact that it must be made smaller first. From `pruneAt` on old
 * tool results are shortened, if that frees enough; from `compactAt` on older messages are summarised, if there are
 * enough of them; what is too big after all that is cut.
 */
export async function buildPrompt(
  services: AgentServices,
  job: RunEffect,
  { name, model, added, compaction = true }: PromptRequest,
): Promise<Prompt | Fact> {
  const { effectId, params, options, context } = job;
  await services.toolbox.ready(options.tools);
  const conversation = await readConversation(services.store, job, context.unseen);
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
  const estimated = weights.ofPrompt(messages, tools);
  const tokens = Math.round(estimated * budget.ratio);

  if (params.pruning === true && estimated > budget.pruneAt) {
    const pruning = prune(job, conversation, budget, tokens);
    if (pruning) return pruning;
  }
  const isTooBig = estimated > budget.room;
  const mayCompact = compaction && params.compaction === true;
  if (mayCompact && (isTooBig || shouldCompact(context, conversation, estimated, budget)))
    return { event: { type: 'context.tooBig', effectId, tokens } };
  const fixed = weights.ofPrompt(toPrompt([], { ...frame, summary: null }), tools);
  const tainted = taintOf(conversation.read, services.toolbox, options.tainted);
  if (!isTooBig) return { messages, tools, upTo, tokens, estimated, fixed, tainted, followed };
  const cut = cutToFit(shown, frame, tools, budget.room, weights);
  if (!cut) return { event: { type: 'context.tooBig', effectId, tokens } };
  const left = weights.ofPrompt(cut, tools);
  const sized = { tokens: Math.round(left * budget.ratio), estimated: left };
  return { messages: cut, tools, upTo, ...sized, fixed, tainted, followed };
}

/** What hooks add, and before it the skills that may fit. */
function withStart(
  { run }: RunEffect,
  added: AddedContext | undefined,
  start: readonly string[],
): { added?: AddedContext } {
  if (start.length === 0) return added ? { added } : {};
  const { now = [], start: others = [] } = added ?? {};
  return { added: { run: run.pk, start: [...start, ...others], now } };
}

/** The pointer moves in the commit of the fact, so that every process makes the same prompt from then on. */
function prune(
  { effectId, run }: RunEffect,
  { blocks, pruned }: Conversation,
  budget: ContextBudget,
  tokens: number,
): Fact | null {
  const plan = planPruning(blocks, pruned, budget);
  if (!plan) return null;
  const { to, results } = plan;
  const saved = Math.round(plan.saved * budget.ratio);
  return {
    event: { type: 'context.pruned', effectId, results, tokens, saved },
    *writes() {
      yield* ask('moveSessionPruning', { session: run.session, ...to });
    },
  };
}

/** Compactions ahead of need for one answer; the machine counts prunings with them, and gives up beyond three. */
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
