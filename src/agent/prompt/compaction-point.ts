import { isBefore } from '../../store/stored-message.ts';
import type { Block } from '../messages/blocks.ts';
import { blockTokens } from './block-tokens.ts';
import type { ContextBudget } from './context-budget.ts';

/**
 * Index of the first block to keep: the newest ones that fit in `maxTokens`, at least one. If at least half of them
 * remain, the kept blocks begin with a message of the user, so that no exchange is split. All rows of kept blocks come
 * after all rows of older ones, so one pointer separates them.
 *
 * @param exchangeTokens maximum size up to which the last exchange is kept whole, even above `maxTokens`
 */
export function boundary(blocks: readonly Block[], maxTokens: number, exchangeTokens = 0): number {
  let cut = blocks.length - 1;
  let tokens = blockTokens(blocks[cut]);
  while (cut > 0) {
    tokens += blockTokens(blocks[cut - 1]);
    if (tokens > maxTokens) break;
    cut--;
  }
  if (cut > 0) cut = nextExchange(blocks, cut, maxTokens / 2) ?? cut;
  const last = blocks.findLastIndex(({ kind }) => kind === 'user');
  if (last > 0 && last < cut && sumTokens(blocks.slice(last)) <= exchangeTokens) cut = last;
  while (cut > 0 && !isBehind(blocks, cut)) cut--;
  return Math.max(0, cut);
}

function nextExchange(blocks: readonly Block[], from: number, minTokens: number): number | null {
  const next = blocks.findIndex(({ kind }, i) => i >= from && kind === 'user');
  return next !== -1 && sumTokens(blocks.slice(next)) >= minTokens ? next : null;
}

function isBehind(blocks: readonly Block[], cut: number): boolean {
  const first = blocks.slice(cut).reduce((least, block) => (isBefore(block, least) ? block : least));
  const isOlder = ({ run, end }: Block) => run < first.run || (run === first.run && end < first.seq);
  return first === blocks[cut] && blocks.slice(0, cut).every(isOlder);
}

export function sumTokens(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + blockTokens(block), 0);
}

/** Maximum shares of the room for a summary and for the user's own words after it: every later prompt has both. */
export const summaryShare = 0.15;

export const anchorShare = 0.1;

/** How many of a prompt's blocks a compaction would replace. */
export function cutOf(shown: readonly Block[], { keep }: Pick<ContextBudget, 'keep'>): number {
  if (shown.length < 2) return 0;
  // The provider may count more than the estimate, so a compaction must remove at least half, whatever the window.
  return boundary(shown, Math.min(keep, sumTokens(shown) / 2), keep);
}

/**
 * Whether an early compaction would remove more than its summary may add. This keeps many turns between two compactions,
 * however much of the room the system prompt and the tools fill.
 */
export function isWorthCompacting(shown: readonly Block[], budget: ContextBudget): boolean {
  const taken = sumTokens(shown.slice(0, cutOf(shown, budget)));
  return taken >= budget.room * (summaryShare + anchorShare);
}
