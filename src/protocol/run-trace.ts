import type * as z from 'zod/mini';
import type { JsonObject, JsonValue } from './json.ts';
import type * as answers from './methods/answers/trace.ts';

/** The values of a context that a transition changed, by key: before and after. */
export type ContextChanges = z.output<typeof answers.contextChanges>;

/** Who or what brought an event. */
export type TransitionCause = z.output<typeof answers.cause>;

/** A way through the chart. Many transitions of a long run go the same few ways. */
export interface TracedWay extends z.output<typeof answers.way> {}

/** One transition of a run, as its machine made it. */
export interface TracedTransition extends z.output<typeof answers.transition> {}

export type TraceLane = TracedSpan['lane'];

/** A time in which an effect was at work, or the run waited for a person about a call. */
export interface TracedSpan extends z.output<typeof answers.span> {}

/** A run as its machine moved it: the log, folded once. */
export interface RunTrace extends z.output<typeof answers.trace> {}

/** The context after a transition, from the one before it. */
export function applyChanges(context: JsonObject, changes: ContextChanges): JsonObject {
  const next = new Map(Object.entries(context));
  for (const [path, [, after]] of Object.entries(changes)) {
    const [key, inner] = keysOf(path);
    if (inner !== undefined) next.set(key, withValue(next.get(key) as JsonObject, inner, after ?? null));
    else if (after === undefined) next.delete(key);
    else next.set(key, after);
  }
  return Object.fromEntries(next);
}

/** The entry of a value in {@link ContextChanges}: of a key of the context, or of a key within its object. */
export function changeKey(...keys: string[]): string {
  return keys.map((key) => key.replaceAll(/[\\.]/g, '\\$&')).join('.');
}

function keysOf(path: string): [key: string, inner: string | undefined] {
  const [, key = '', inner] = /^((?:[^\\.]|\\.)*)(?:\.(.*))?$/s.exec(path) ?? [];
  return [plain(key), inner === undefined ? undefined : plain(inner)];
}

function plain(key: string): string {
  return key.replaceAll(/\\(.)/gs, '$1');
}

/** Any key becomes one of its own, `__proto__` too. */
function withValue(object: JsonObject, key: string, value: JsonValue): JsonObject {
  return Object.fromEntries(new Map(Object.entries(object)).set(key, value));
}
