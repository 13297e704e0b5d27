import { type ArgumentsOf, lateParameters } from '../ports/late-parameters.ts';

const maxHits = 20;

/** The query arguments of the search tool `name`. */
export const queryParameters = (name: string) =>
  lateParameters(name, (z) => {
    const query = z.string().trim().min(1).max(1_000);
    return z
      .strictObject({
        query: query.optional().describe('What to look for'),
        queries: z
          .array(query)
          .min(1)
          .max(4)
          .optional()
          .describe('One to four ways to say it; instead of query'),
        limit: z.int().min(1).max(maxHits).optional().describe('Number of results; default 6'),
      })
      .refine((args) => (args.query === undefined) !== (args.queries === undefined), {
        error: 'give either query or queries',
      });
  });

type QueryArguments = ArgumentsOf<ReturnType<typeof queryParameters>>;

/** All wordings in the arguments. */
export function queriesOf({ query: one, queries }: QueryArguments): readonly string[] {
  return queries ?? (one === undefined ? [] : [one]);
}
