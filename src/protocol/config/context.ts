import * as z from 'zod/mini';
import { defaults } from '../enums.ts';
import { field, group } from './field.ts';
import { countOrNone, share } from './values.ts';

/**
 * Shares of the model's context window. At 0.8 there is still room for one step: a long answer and its tool results.
 * Pruning starts well before, because it costs no model call and often makes a summary unnecessary. Keeping a quarter
 * leaves half of the window free after a compaction, so the next one is many turns away.
 */
const fields = group(
  "When a conversation is pruned and compacted, in shares of the model's context window. The numbers are the defaults.",
  {
    pruneAt: field(share(0.1, 1), {
      text: 'Share of the [window](context.md) at which old tool results are shortened.',
      default: defaults.context.pruneAt,
    }),
    compactAt: field(share(0.3, 1), {
      text: 'Share at which a summary replaces old messages.',
      default: defaults.context.compactAt,
    }),
    protectTokens: field(countOrNone, {
      text: 'Tool results within this many of the newest tokens are never shortened.',
      defaultText: 'as many as `keepShare` keeps',
      example: 20_000,
    }),
    keepShare: field(share(0.05, 0.5), {
      text: 'Share of the window that the newest messages keep when a summary replaces the others.',
      default: defaults.context.keepShare,
    }),
  },
);

export const context = {
  ...fields,
  schema: fields.schema.check(
    z.refine(
      ({ pruneAt = 0, compactAt = 1 }) => pruneAt <= compactAt,
      'pruneAt must not be greater than compactAt: results are shortened before messages are summarised',
    ),
  ),
};
