import { expect, it } from 'vitest';
import type { Fields } from './rule.ts';

/** A deep copy in which anything can be reached and changed. */
// biome-ignore lint/suspicious/noExplicitAny: a request is bent here in ways that no type allows.
export type Bendable = any;

/**
 * What breaks one rule: values by their places (`messages.0.content`; undefined deletes), or a function where more than
 * values change. And the words in which the rules say so; several where one thing cannot be wrong alone: a result that
 * stands in the wrong place is also missing in the right one.
 */
type Mutation = [rule: string, breaks: Fields | ((body: Bendable) => void), ...says: RegExp[]];

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
    if (typeof breaks === 'function') breaks(body);
    else for (const [place, value] of Object.entries(breaks)) put(body, place.split('.'), value);
    expect(violations(body)).toEqual(says.map((words) => expect.stringMatching(words)));
  });
}

function put(body: Bendable, place: readonly string[], value: unknown): void {
  const last = place.at(-1) ?? '';
  const owner = place.slice(0, -1).reduce((part, name) => part[name], body);
  if (value === undefined) delete owner[last];
  else owner[last] = value;
}
