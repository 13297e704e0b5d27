import { skillToolName } from '../../ports/skill-source.ts';
import { isObject, parseJson } from '../../protocol/json.ts';
import type { StoredCall, ToolBody } from '../../records/messages.ts';
import type { AnswerBlock, Block } from '../messages/blocks.ts';
import { blockTokens } from './block-tokens.ts';
import { withoutParts } from './parts-to-send.ts';

/** A place in a session: a transition of one of its runs. */
export interface Position {
  run: number;
  seq: number;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.run < b.run || (a.run === b.run && a.seq < b.seq);
}

/** Share of the room that shortening results must free: less is not worth the provider's cache of the prompt. */
const worthwhileShare = 0.1;

export interface PruningPlan {
  /** Results of answers before this place are shortened. */
  to: Position;
  /** How many that shortens, besides those that were before. */
  results: number;
  /** Estimated tokens that it frees. */
  saved: number;
}

/**
 * What shortening old results would free: all but those of the newest `protect` tokens, and of the last answer, in one
 * batch. Null when it would be too little.
 *
 * @param blocks whole, not shortened
 * @param pruned what is shortened already
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

/** Answers follow each other in the order of their places; the user's words may stand behind later ones. */
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

/** Results of at most this many characters stay as they are: what stands for a longer one would save little. */
export const shortEnough = 1_200;
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

/** The text of a skill is what the model goes by: it stays whole. Its other files are results like any. */
function isShortened(result: ToolBody, call: StoredCall | undefined): boolean {
  if (!isLong(result) || call?.name !== skillToolName) return isLong(result);
  const args = parseJson(call.arguments);
  return isObject(args) && args.file !== undefined;
}

/** Images and documents weigh as much as a long text. */
export function isLong({ text, parts = [] }: ToolBody): boolean {
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

/** A cut through a pair of surrogates leaves halves that are no text. */
function cleanCut(piece: string): string {
  return piece.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
