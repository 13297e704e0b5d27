import type { RunContext } from '../../../machines/run.types.ts';
import type { EffectJob } from '../../engine/machine-host.ts';
import type { ResolvedModel } from '../chat-model.ts';
import { type ContextBudget, contextBudget } from '../context-budget.ts';
import { readConversation } from '../conversation.ts';
import { type Learned, learnedOf } from '../learned.ts';
import type { Block } from '../projection.ts';
import { type Position, withoutOldResults } from '../pruning.ts';
import { routeOf } from '../route.ts';
import type { RunOptions } from '../run-options.ts';
import type { AgentServices } from '../services.ts';
import { type StoredTaint, taintOf } from '../taint.ts';
import { estimateTokens } from '../tokens.ts';
import { type Anchors, anchorsAfter } from './anchors.ts';
import { boundary, sumTokens } from './boundary.ts';

/** What one compaction does: the same for its flush and its summary, since both read the same rows. */
export interface CompactionPlan {
  options: RunOptions;
  /** `provider/model` that is asked for the lines of the flush, and for the summary. */
  name: string;
  model: ResolvedModel;
  learned: Learned;
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
/** Shares of the room that a summary may fill, and the user's own words behind it: they are in every later prompt. */
export const summaryShare = 0.15;
const anchorShare = 0.1;

/** @throws DetentError as resolving the model does. */
export async function planCompaction(services: AgentServices, job: EffectJob): Promise<CompactionPlan> {
  const options = JSON.parse(job.run.options) as RunOptions;
  const context = job.context as RunContext;
  const { name } = routeOf(options, job.run, context);
  const model = await services.models.resolve(name, options.endpoint);
  // What came since the compaction began is heard by the next model call, and stays whole until then.
  const conversation = await readConversation(services.store, job, context.unseen);
  const { summary, blocks, pruned } = conversation;
  const learned = learnedOf(services.models, name, conversation);
  const budget = contextBudget(model, options.context, learned);
  const shown = withoutOldResults(blocks, pruned);
  const cut = isOnlyCompaction(job) && isShort(shown, budget) ? 0 : cutOf(shown, budget);
  const old = blocks.slice(0, cut);
  return {
    options,
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

/** Whether somebody asked for a compaction and nothing else. */
export function isOnlyCompaction({ run }: Pick<EffectJob, 'run'>): boolean {
  return (JSON.parse(run.input) as { only?: string }).only === 'compact';
}

/** One exchange that would be kept anyway: whoever asks twice for a compaction does not lose it. */
function isShort(shown: readonly Block[], { keep }: ContextBudget): boolean {
  return shown.slice(1).every(({ kind }) => kind !== 'user') && sumTokens(shown) <= keep;
}

/** How many blocks a compaction would take, of blocks as a prompt shows them. */
export function cutOf(shown: readonly Block[], { keep }: Pick<ContextBudget, 'keep'>): number {
  if (shown.length < 2) return 0;
  // The provider may count more than our estimate: whatever the window is, at least half must go.
  return boundary(shown, Math.min(keep, sumTokens(shown) / 2), keep);
}

/**
 * Whether a compaction ahead of need would take more than its summary may add: so there are always many turns between
 * two of them, however much of the room the system prompt and the tools fill.
 */
export function isWorthCompacting(shown: readonly Block[], budget: ContextBudget): boolean {
  const taken = sumTokens(shown.slice(0, cutOf(shown, budget)));
  return taken >= budget.room * (summaryShare + anchorShare);
}
