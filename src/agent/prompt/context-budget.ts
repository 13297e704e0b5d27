import type { ResolvedModel } from '../../ports/chat-model.ts';
import { context } from '../../protocol/config/context.ts';
import type { ContextOptions } from '../../records/run-options.ts';
import type { Calibration } from '../services.ts';

/** Bounds of a prompt, in tokens as we estimate them: what was learned of the provider's count is in them already. */
export interface ContextBudget {
  /** Multiplies an estimate to what the provider will count. */
  ratio: number;
  /** What a prompt may have: the window without what is reserved for the answer. */
  room: number;
  /** Old tool results are shortened from here on. */
  pruneAt: number;
  /** Older messages are summarised from here on. */
  compactAt: number;
  /** The newest part of the conversation whose tool results stay whole. */
  protect: number;
  /** The newest part of the conversation that stays whole through a compaction. */
  keep: number;
}

/** Shares of the room. */
const defaultContext = {
  pruneAt: context.fields.pruneAt.default,
  compactAt: context.fields.compactAt.default,
  keepShare: context.fields.keepShare.default,
};

export function contextBudget(
  { contextWindow, maxOutputTokens }: ResolvedModel,
  options: ContextOptions | undefined,
  learned: Calibration,
): ContextBudget {
  const { pruneAt, compactAt, keepShare, protectTokens } = { ...defaultContext, ...options };
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
