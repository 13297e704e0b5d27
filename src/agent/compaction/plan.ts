import { taintOf } from '../../call/policy.ts';
import { estimateTokens, type ResolvedModel } from '../../protocol/ports.ts';
import type { Position, StoredTaint } from '../../store/stored-message.ts';
import type { RunJob } from '../effect/run-effect.ts';
import { isOnlyCompaction } from '../hooks/before-compact.ts';
import type { Block } from '../messages/blocks.ts';
import { routeOf } from '../model-call/route.ts';
import { calibrationOf } from '../prompt/calibration.ts';
import { anchorShare, cutOf, sumTokens } from '../prompt/compaction-point.ts';
import { type ContextBudget, contextBudget } from '../prompt/context-budget.ts';
import { withoutOldResults } from '../prompt/pruning.ts';
import { readConversation } from '../prompt/read-conversation.ts';
import type { AgentServices, Calibration } from '../services.ts';
import { type Anchors, anchorsAfter } from './anchors.ts';

/** The plan of one compaction. Flush and summary get the same plan, since both read the same rows. */
export interface CompactionPlan {
  /** The `provider/model` that writes the flush and the summary. */
  name: string;
  model: ResolvedModel;
  learned: Calibration;
  budget: ContextBudget;
  /** From the previous compaction. */
  summary: string | null;
  /** The blocks that the summary will replace; empty when there are too few. */
  old: readonly Block[];
  kept: readonly Block[];
  /** Where the kept blocks begin. */
  head: Position | null;
  anchors: Anchors;
  /** The sources of untrusted text in the whole conversation. */
  tainted: StoredTaint[];
  /** Estimated tokens of the current summary and all blocks. */
  tokens: number;
}

/** Share of the room that the text to be summarised may fill. */
export const summarisedShare = 0.7;

/** @throws DetentError as resolving the model does. */
export async function planCompaction(services: AgentServices, job: RunJob): Promise<CompactionPlan> {
  const { options, context } = job;
  const { name } = routeOf(options, job.run, context);
  const model = await services.models.resolve(name, options.endpoint);
  // Messages that arrived since the compaction began stay whole, for the next model call.
  const conversation = await readConversation(services.store, job, context.unseen);
  const { summary, blocks, pruned } = conversation;
  const learned = calibrationOf(services.calibrations, name, conversation);
  const budget = contextBudget(model, options.context, learned);
  const shown = withoutOldResults(blocks, pruned);
  const cut = isOnlyCompaction(job) && isShort(shown, budget) ? 0 : cutOf(shown, budget);
  const old = blocks.slice(0, cut);
  return {
    name,
    model,
    learned,
    budget,
    summary,
    old,
    kept: blocks.slice(cut),
    head: blocks[cut] ?? null,
    tainted: taintOf(conversation.read, services.toolbox, options.tainted),
    anchors: anchorsAfter(summary, old, budget.room * anchorShare),
    tokens: sumTokens(shown) + estimateTokens(summary ?? ''),
  };
}

/** Whether only one short exchange is left, which a compaction by hand then keeps. */
function isShort(shown: readonly Block[], { keep }: ContextBudget): boolean {
  return shown.slice(1).every(({ kind }) => kind !== 'user') && sumTokens(shown) <= keep;
}
