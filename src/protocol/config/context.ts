import * as z from 'zod/mini';
import { field, group } from './field.ts';
import { countOrNone, share } from './values.ts';

/**
 * Shares of the room. From 0.8 on a step may add a long answer and its results without leaving the window; pruning
 * comes well before, because it costs no model call and often makes a summary needless. A quarter that is kept leaves
 * half of the room free after a compaction, so that there are many turns between two of them.
 */
const fields = group(
  "How a conversation is kept within the model's window, in shares of it. The numbers are the defaults.",
  {
    pruneAt: field(share(0.1, 1), {
      text: 'Share of the [window](context.md) from which on old tool results are shortened.',
      default: 0.6,
    }),
    compactAt: field(share(0.3, 1), {
      text: 'Share from which on old messages are summarised.',
      default: 0.8,
    }),
    protectTokens: field(countOrNone, {
      text: 'Newest tokens whose tool results stay whole.',
      defaultText: 'as many as `keepShare` keeps',
      example: 20_000,
    }),
    keepShare: field(share(0.05, 0.5), {
      text: 'Share that the newest messages keep through a summary.',
      default: 0.25,
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
