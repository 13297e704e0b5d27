import type { ResolvedModel } from '../../ports/chat-model.ts';
import { estimateTokens } from '../../ports/tokens.ts';
import type { StoredTaint } from '../../records/messages.ts';
import { isOnlyCompaction } from '../hooks/compact-hooks.ts';
import type { Block } from '../messages/blocks.ts';
import { routeOf } from '../model-call/route.ts';
import { taintOf } from '../policy/taint.ts';
import { calibrationOf } from '../prompt/calibration.ts';
import { anchorShare, cutOf, sumTokens } from '../prompt/compaction-point.ts';
import { type ContextBudget, contextBudget } from '../prompt/context-budget.ts';
import { readConversation } from '../prompt/conversation.ts';
import { type Position, withoutOldResults } from '../prompt/pruning.ts';
import type { RunJob } from '../run-effect.ts';
import type { AgentServices, Calibration } from '../services.ts';
import { type Anchors, anchorsAfter } from './anchors.ts';

/** What one compaction does: the same for its flush and its summary, since both read the same rows. */
export interface CompactionPlan {
  /** `provider/model` that is asked for the lines of the flush, and for the summary. */
  name: string;
  model: ResolvedModel;
  learned: Calibration;
  budget: ContextBudget;
  /** Of the compaction before. */
  summary: string | null;
  /** What the summary will stand for; none when there is too little. */
  old: readonly Block[];
  kept: readonly Block[];
  /** Where the kept blocks begin. */
  head: Position | null;
  anchors: Anchors;
  /** Where untrusted text came from in all that there is now. */
  tainted: StoredTaint[];
  /** Of summary and blocks, as they stand in a prompt now: by our estimate. */
  tokens: number;
}

/** Share of the room that the text to be summarised may fill. */
export const summarisedShare = 0.7;

/** @throws DetentError as resolving the model does. */
export async function planCompaction(services: AgentServices, job: RunJob): Promise<CompactionPlan> {
  const { options, context } = job;
  const { name } = routeOf(options, job.run, context);
  const model = await services.models.resolve(name, options.endpoint);
  // What came since the compaction began is heard by the next model call, and stays whole until then.
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

/** One exchange that would be kept anyway: whoever asks twice for a compaction does not lose it. */
function isShort(shown: readonly Block[], { keep }: ContextBudget): boolean {
  return shown.slice(1).every(({ kind }) => kind !== 'user') && sumTokens(shown) <= keep;
}
