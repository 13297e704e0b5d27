import * as z from 'zod/mini';
import { questionKinds } from '../../enums.ts';
import { about, json, jsonObject, named, toOperators } from '../fields.ts';

/** A run as its machine moved it; the types of `run-trace.ts` are taken from these schemas. */

/** Dotted paths of a state; of parallel states, one each. */
export const paths = z.union([z.string(), z.array(z.string())]);

/** Who or what brought an event. */
export const cause = named(
  'Cause',
  z.union([
    /** `who`: as the log names it; left out where it has no name. */
    z.strictObject({
      kind: z.literal('person'),
      who: z.exactOptional(toOperators('person', z.string())),
    }),
    /** `name`: of the effect, such as `effect.callModel`. */
    z.strictObject({ kind: z.literal('effect'), effect: z.int(), name: z.string() }),
    z.strictObject({ kind: z.literal('timer') }),
    /** A program: the engine, the schedule, or the run that this one is a part of. */
    z.strictObject({ kind: z.literal('system') }),
  ]),
);

/** A guard that the machine asked, and its answer. */
const askedGuard = z.strictObject({ guard: z.string(), holds: z.boolean() });

/**
 * The values of a context that a transition changed, by key: before and after. An added key had no value: its `before` is null. A
 * removed key has no `after`. An object that has the same keys after it has an entry for each of its values instead of one for
 * itself: `limits.steps`. A dot within a key is written `\.`, a backslash `\\`.
 */
export const contextChanges = toOperators(
  'json',
  z.record(z.string(), z.readonly(z.tuple([json, z.exactOptional(json)]))),
);

/** A way through the chart. Many transitions of a long run go the same few ways. */
export const way = named(
  'TracedWay',
  z.strictObject({
    /** The state before and after it. */
    from: paths,
    to: paths,
    /** Those without an event included. */
    edges: about(
      z.array(z.string()),
      'Ids of the edges of `machine.layout`, in the order in which it took them.',
    ),
    /** In the order in which the machine asked them. */
    guards: z.array(askedGuard),
  }),
);

/** One transition of a run, as its machine made it. */
export const transition = named(
  'TracedTransition',
  z.strictObject({
    seq: z.int(),
    /** Milliseconds since the epoch. */
    at: z.number(),
    /** As it was logged, without the cost, which is in `usage`. */
    event: toOperators('json', z.catchall(z.object({ type: z.string() }), json)),
    /** Such as `approve done` or `after 7 days`. */
    label: about(z.exactOptional(z.string()), 'Of a workflow: its event in the names of its chart.'),
    /** Whether long texts and lists of the event were shortened. The log has them whole. */
    isCut: z.exactOptional(z.literal(true)),
    by: cause,
    /** The same in every answer. */
    way: about(z.int(), 'Its key in `ways`.'),
    changes: about(contextChanges, 'By key of the context: before and after.'),
    /** Hash of the context after it. */
    hash: z.string(),
    /** Tokens and cost that the event reported. */
    usage: z.exactOptional(
      z.strictObject({
        inputTokens: z.number(),
        outputTokens: z.number(),
        costUsd: about(z.nullable(z.number()), 'Null when no price is known.'),
      }),
    ),
  }),
);

/** A time in which an effect was at work, or the run waited for a person about a call. */
export const span = named(
  'TracedSpan',
  z.strictObject({
    /** Stays the same in later answers. */
    id: z.int(),
    /** Number of the effect. Of a call that waits for a person: that of the call. */
    effect: z.int(),
    lane: z.enum(['model', 'tools', 'people', 'host']),
    /** A few words: `step 2`, `flush`, `summary`, the name of the tool. */
    label: z.string(),
    /** Of a model call: the number of its step. */
    step: z.exactOptional(z.int()),
    callId: z.exactOptional(z.string()),
    tool: z.exactOptional(z.string()),
    /** What a person was asked, or the caller of the run had to perform. */
    kind: z.exactOptional(z.enum(questionKinds)),
    /** The transition that began it, and its time in milliseconds since the epoch. */
    seq: z.int(),
    startedAt: z.number(),
    /** Null while it lasts, and where its end lies behind the answer. */
    endSeq: z.nullable(z.int()),
    endedAt: z.nullable(z.number()),
    /** How it failed: the code of the error, or the type of the event. */
    failed: z.exactOptional(z.string()),
    /** 1 for the first attempt. */
    attempt: z.int(),
  }),
);

const machineOfRun = z.strictObject({
  name: z.string(),
  /** Of the run now. */
  version: z.int(),
  /** Of its definition; null when it is not known. */
  hash: z.nullable(z.string()),
  /** Whether this program has it. Without it the transitions have no edges, no guards and no changes. */
  known: z.boolean(),
});

export const trace = named(
  'RunTrace',
  z.strictObject({
    runId: z.string(),
    sessionId: z.string(),
    machine: machineOfRun,
    /** The last transition of the run. The answer may end before it: ask again, after its last one. */
    lastSeq: z.int(),
    ended: z.boolean(),
    agrees: about(
      z.int(),
      'Transitions that agree with the machine in state and context, of those up to the end of the answer at least.',
    ),
    /** The first transition that does not agree; left out when all do. Those from there on have no edges, guards and changes. */
    diverged: z.exactOptional(z.strictObject({ seq: z.int(), what: z.string() })),
    /** Before the first transition. Null when the machine's version is not known. */
    initial: z.strictObject({ path: paths, context: toOperators('json', z.nullable(jsonObject)) }),
    transitions: z.array(transition),
    ways: about(z.record(z.string(), way), 'The ways of these transitions through the chart.'),
    /** Those that began or ended with these transitions, in the order of their beginnings. */
    spans: z.array(span),
  }),
);
