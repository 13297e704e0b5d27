import { isObject, parseJson } from '../../protocol/json.ts';
import { skillToolName } from '../../protocol/ports.ts';
import { isBefore, type Position, type StoredCall, type ToolBody } from '../../store/stored-message.ts';
import type { AnswerBlock, Block } from '../messages/blocks.ts';
import { blockTokens } from './block-tokens.ts';
import { withoutParts } from './parts-to-send.ts';

/** Minimum share of the room that pruning must free; less is not worth losing the provider's prompt cache. */
const worthwhileShare = 0.1;

interface PruningPlan {
  /** Results of answers before this place are shortened. */
  to: Position;
  /** How many results it newly shortens. */
  results: number;
  /** Estimated tokens that it frees. */
  saved: number;
}

/**
 * Plans a pruning: one batch of all results except those of the newest `protect` tokens and of the last answer. Null when
 * it would free too little.
 *
 * @param blocks with unshortened results
 * @param pruned the place up to which results are already shortened
 */
export function planPruning(
  blocks: readonly Block[],
  pruned: Position,
  { protect, room }: { protect: number; room: number },
): PruningPlan | null {
  const to = firstProtected(withoutOldResults(blocks, pruned), protect);
  if (!to || !isBefore(pruned, to)) return null;
  let results = 0;
  let saved = 0;
  for (const block of blocks) {
    if (block.kind === 'user' || isBefore(block, pruned) || !isBefore(block, to)) continue;
    results += block.results.filter((result, i) => isShortened(result, block.body.toolCalls[i])).length;
    saved += blockTokens(block) - blockTokens(pruneBlock(block));
  }
  return saved >= room * worthwhileShare ? { to, results, saved } : null;
}

/** Answers are in the order of their places; a message of the user may come after a later answer. */
function firstProtected(blocks: readonly Block[], protect: number): Position | null {
  let tokens = 0;
  let first: Position | null = null;
  for (const block of blocks.toReversed()) {
    tokens += blockTokens(block);
    if (first && tokens > protect) break;
    if (block.kind === 'answer') first = { run: block.run, seq: block.seq };
  }
  return first;
}

/** Results of at most this many characters stay whole: shortening them would save little. */
const shortEnough = 1_200;
const headChars = 300;
const tailChars = 120;

/** The conversation with the long results of answers before a place shortened. Pure. */
export function withoutOldResults(blocks: readonly Block[], pruned: Position): readonly Block[] {
  if (pruned.run === 0) return blocks;
  return blocks.map((block) => (isBefore(block, pruned) ? pruneBlock(block) : block));
}

/** The block with its long results shortened; itself when it has none. */
export function pruneBlock(block: Block): Block {
  if (block.kind === 'user' || !block.results.some(isLong)) return block;
  return block.derive(shortened);
}

function shortened(block: AnswerBlock): AnswerBlock {
  const { toolCalls } = block.body;
  const results = block.results.map((result, i) =>
    isShortened(result, toolCalls[i]) ? shortForm(result, toolCalls[i]) : result,
  );
  return block.withResults(results);
}

/** A skill's text has instructions that the model follows, so it stays whole. Its other files are ordinary results. */
function isShortened(result: ToolBody, call: StoredCall | undefined): boolean {
  if (!isLong(result) || call?.name !== skillToolName) return isLong(result);
  const args = parseJson(call.arguments);
  return isObject(args) && args.file !== undefined;
}

/** Images and documents cost as many tokens as a long text. */
function isLong({ text, parts = [] }: ToolBody): boolean {
  return text.length > shortEnough || parts.length > 0;
}

function shortForm(result: ToolBody, call: StoredCall | undefined): ToolBody {
  const text = result.text.length > shortEnough ? noteOf(result, call) : result.text;
  return withoutParts({ ...result, text });
}

function noteOf({ text, artifact }: ToolBody, call: StoredCall | undefined): string {
  const where = artifact ? `, and all of the output as artifact ${artifact}` : '';
  return [
    `[An older result of ${call?.name ?? 'a tool'}, ${text.length} characters, shortened to save room. The log keeps it whole${where}; call the tool again if you need more of it.]`,
    `It began: ${cleanCut(text.slice(0, headChars))}`,
    `It ended: ${cleanCut(text.slice(-tailChars))}`,
  ].join('\n');
}

/** Cuts between characters, never inside a surrogate pair. */
function cleanCut(piece: string): string {
  return piece.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
