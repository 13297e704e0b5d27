import * as z from 'zod/mini';
import { budgetPeriods, usageGroups } from '../../enums.ts';
import { about, named } from '../fields.ts';

export const usageGroup = z.enum(usageGroups);

/** Model calls of a group, added up. */
const usageSum = named(
  'UsageSum',
  z.strictObject({
    key: about(
      z.string(),
      'The day (UTC), the model, the session …; empty for deleted sessions, for those of no user, and of the total.',
    ),
    calls: z.int(),
    failed: z.int(),
    cached: about(z.int(), 'Answered from the cache.'),
    unpriced: about(z.int(), 'Without a known price: `costUsd` does not include them.'),
    estimated: about(z.int(), 'With tokens that Detent estimated, because their answers broke off.'),
    inputTokens: z.number(),
    outputTokens: z.number(),
    /** Of the input. */
    cachedInputTokens: z.number(),
    cacheWriteTokens: z.number(),
    reasoningTokens: z.number(),
    costUsd: about(z.nullable(z.number()), 'Null when tokens were used and no call has a known price.'),
  }),
);

const account = z.strictObject({
  limit: about(z.nullable(z.number()), 'Null if there is none.'),
  spent: z.number(),
  held: about(z.number(), 'Reserved for calls in flight: their maximum cost.'),
  left: z.nullable(z.number()),
});

/** A budget in its current period. */
const budget = named(
  'Budget',
  z.strictObject({
    name: z.string(),
    per: z.nullable(z.enum(budgetPeriods)),
    /** The current day or month (UTC); null for a budget that never resets. */
    period: z.nullable(z.string()),
    tokens: account,
    costUsd: account,
    holds: about(z.int(), 'Calls in flight with a reservation.'),
    users: about(
      z.optional(
        z.array(z.strictObject({ userId: z.nullable(z.string()), tokens: account, costUsd: account })),
      ),
      'Of a budget for each user: the 20 users that spent most, first; null for runs of no user.',
    ),
  }),
);

export const usageReport = named(
  'Usage',
  z.strictObject({
    by: usageGroup,
    /** Most recently used first. */
    groups: z.array(usageSum),
    total: usageSum,
    budgets: z.array(budget),
  }),
);
