import { defaults } from '../../protocol/enums.ts';
import type { ResolvedModel } from '../../protocol/ports.ts';
import type { ContextOptions } from '../../store/run-options.ts';
import type { Calibration } from '../services.ts';

/** Limits of a prompt in estimated tokens, with the calibration already applied. */
export interface ContextBudget {
  /** The provider's expected count for each estimated token. */
  ratio: number;
  /** Maximum of a prompt: the window minus the reserve for the answer. */
  room: number;
  /** From this size on, pruning shortens old tool results. */
  pruneAt: number;
  /** From this size on, compaction summarises older messages. */
  compactAt: number;
  /** The newest part of the conversation whose tool results stay whole. */
  protect: number;
  /** The newest part of the conversation that stays whole through a compaction. */
  keep: number;
}

export function contextBudget(
  { contextWindow, maxOutputTokens }: Pick<ResolvedModel, 'contextWindow' | 'maxOutputTokens'>,
  options: ContextOptions | undefined,
  learned: Calibration,
): ContextBudget {
  const { pruneAt, compactAt, keepShare, protectTokens } = { ...defaults.context, ...options };
  const window = Math.min(contextWindow, learned.window ?? contextWindow);
  const reserved = Math.min(maxOutputTokens, Math.floor(window / 2));
  const { ratio } = learned;
  const room = Math.floor(Math.min((window - reserved) / ratio, learned.room ?? Number.POSITIVE_INFINITY));
  return {
    ratio,
    room,
    pruneAt: room * Math.min(pruneAt, compactAt),
    compactAt: room * compactAt,
    protect: protectTokens === undefined ? room * keepShare : protectTokens / ratio,
    keep: room * keepShare,
  };
}
