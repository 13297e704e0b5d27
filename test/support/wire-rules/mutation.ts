import { expect, it } from 'vitest';
import type { Fields } from './rule.ts';

/**
 * What breaks one rule, and the words in which the rules say so; several where one thing cannot be wrong alone: a result
 * that stands in the wrong place is also missing in the right one.
 */
export type Mutation = [rule: string, breaks: (body: Bendable) => void, ...says: RegExp[]];

/** A deep copy in which anything can be reached and changed. */
// biome-ignore lint/suspicious/noExplicitAny: a request is bent here in ways that no type allows.
export type Bendable = any;

/**
 * Holds rules against requests that each break one of them: the valid request passes, and each mutation of it is
 * caught, by nothing but what it breaks.
 */
export function catches(
  valid: () => Fields,
  violations: (body: Fields) => string[],
  mutations: readonly Mutation[],
): void {
  it('pass a request with all that the wire has', () => {
    expect(violations(valid())).toEqual([]);
  });

  it.each(mutations)('catch %s', (_, breaks, ...says) => {
    const body = valid();
    breaks(body);
    expect(violations(body)).toEqual(says.map((words) => expect.stringMatching(words)));
  });
}
