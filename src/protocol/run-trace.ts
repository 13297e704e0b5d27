import type { JsonObject, JsonValue } from './json.ts';

/**
 * The values of a context that a transition changed, by key: before and after. An added key had no value: its `before` is null. A
 * removed key has no `after`. An object that has the same keys after it has an entry for each of its values instead of one for
 * itself: `limits.steps`. A dot within a key is written `\.`, a backslash `\\`.
 */
export type ContextChanges = Record<string, readonly [before: JsonValue, after?: JsonValue]>;

/** Who or what brought an event. */
export type TransitionCause =
  | { kind: 'person' }
  /** `name`: of the effect, such as `effect.callModel`. */
  | { kind: 'effect'; effect: number; name: string }
  | { kind: 'timer' }
  /** A program: the engine, the schedule, or the run that this one is a part of. */
  | { kind: 'system' };

/** A guard that the machine asked, and its answer. */
export interface AskedGuard {
  guard: string;
  holds: boolean;
}

/** A way through the chart. Many transitions of a long run go the same few ways. */
export interface TracedWay {
  /** Dotted paths of the state before and after it; of parallel states, one each. */
  from: string | string[];
  to: string | string[];
  /** Ids of the edges that it took, in their order, those without an event included. `machine.layout` draws them. */
  edges: string[];
  /** In the order in which the machine asked them. */
  guards: AskedGuard[];
}

/** One transition of a run, as its machine made it. */
export interface TracedTransition {
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** As it was logged, without the cost, which is in `usage`. */
  event: JsonObject & { type: string };
  /** Of a workflow: the event in the names of its chart, such as `approve done` or `after 7 days`. */
  label?: string;
  /** Whether long texts and lists of the event were shortened. The log has them whole. */
  isCut?: true;
  by: TransitionCause;
  /** Its key in {@link RunTrace.ways}: the same in every answer. */
  way: number;
  changes: ContextChanges;
  /** Hash of the context after it. */
  hash: string;
  /** Tokens and cost that the event reported. */
  usage?: { inputTokens: number; outputTokens: number; costUsd: number };
}

export type TraceLane = 'model' | 'tools' | 'people' | 'host';

/** A time in which an effect was at work, or the run waited for a person about a call. */
export interface TracedSpan {
  /** Stays the same in later answers. */
  id: number;
  /** Number of the effect. Of a call that waits for a person: that of the call. */
  effect: number;
  lane: TraceLane;
  /** A few words: `step 2`, `flush`, `summary`, the name of the tool. */
  label: string;
  /** Of a model call: the number of its step. */
  step?: number;
  callId?: string;
  tool?: string;
  /** What a person was asked, or the caller of the run had to perform. */
  kind?: 'confirm' | 'question' | 'reconcile' | 'client';
  /** The transition that began it, and its time in milliseconds since the epoch. */
  seq: number;
  startedAt: number;
  /** Null while it lasts, and where its end lies behind the answer. */
  endSeq: number | null;
  endedAt: number | null;
  /** How it failed: the code of the error, or the type of the event. */
  failed?: string;
  /** 1 for the first attempt. */
  attempt: number;
}

/** A run as its machine moved it: the log, folded once. */
export interface RunTrace {
  runId: string;
  sessionId: string;
  machine: {
    name: string;
    /** Of the run now. */
    version: number;
    /** Of its definition; null when it is not known. */
    hash: string | null;
    /** Whether this program has it. Without it the transitions have no edges, no guards and no changes. */
    known: boolean;
  };
  /** The last transition of the run. The answer may end before it: ask again, after its last one. */
  lastSeq: number;
  ended: boolean;
  /**
   * How many transitions agree with the machine in state and context: of those that were folded so far. The log is folded up to
   * the end of the answer.
   */
  agrees: number;
  /** The first transition that does not agree; left out when all do. Those from there on have no edges, guards and changes. */
  diverged?: { seq: number; what: string };
  /** Before the first transition. Null when the machine's version is not known. */
  initial: { path: string | string[]; context: JsonObject | null };
  transitions: TracedTransition[];
  /** The ways of these transitions. */
  ways: Record<number, TracedWay>;
  /** Those that began or ended with these transitions, in the order of their beginnings. */
  spans: TracedSpan[];
}

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
