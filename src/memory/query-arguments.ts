import * as z from '../ports/schema-kinds.ts';

const maxHits = 20;
const query = z.string().trim().min(1).max(1_000);

/** The query arguments of a search tool. */
export const queryParameters = z
  .strictObject({
    query: query.optional().describe('What to look for'),
    queries: z.array(query).min(1).max(4).optional().describe('One to four ways to say it; instead of query'),
    limit: z.int().min(1).max(maxHits).optional().describe('Number of results; default 6'),
  })
  .refine((args) => (args.query === undefined) !== (args.queries === undefined), {
    error: 'give either query or queries',
  });

/** All wordings in the arguments. */
export function queriesOf({ query: one, queries }: z.infer<typeof queryParameters>): readonly string[] {
  return queries ?? (one === undefined ? [] : [one]);
}
