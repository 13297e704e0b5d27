import * as z from 'zod/mini';
import { machineDefinition, machineLayout } from './answers/chart.ts';
import { paths, trace } from './answers/trace.ts';
import { about, limit, named, runId, seq, word } from './fields.ts';
import type { Declarations } from './method.ts';

const actorSummary = named(
  'ActorSummary',
  z.strictObject({
    actorId: z.string(),
    name: z.string(),
    sender: about(z.nullable(z.string()), 'The name of its program.'),
    sessionId: about(z.string(), 'Its id within its program.'),
    parentSessionId: about(z.exactOptional(z.string()), 'The id of its parent within the program.'),
    parentActorId: about(z.exactOptional(z.string()), 'The id of its parent here, if that is here as well.'),
    status: z.enum(['active', 'done', 'error', 'stopped']),
    isConnected: about(z.boolean(), 'Whether its program is connected.'),
    path: paths,
    tags: z.array(z.string()),
    lastSeq: z.int(),
    dropped: about(z.int(), 'Transitions that were forgotten because there were too many.'),
    createdAt: z.number(),
    updatedAt: z.number(),
    registeredAt: about(
      z.number(),
      'Changes when the actor is registered again: its transitions then start again.',
    ),
  }),
);

export const inspectMethods = {
  'inspect.ticket': {
    scope: 'read',
    summary:
      'A ticket for one WebSocket of an inspector, such as `createWebSocketReceiver` of `@statelyai/inspect`: it works once, for a minute.',
    input: z.strictObject({
      use: about(
        z._default(z.enum(['follow', 'send']), 'follow'),
        '`send`: for actors of your own that show themselves here; needs the scope `write`.',
      ),
      runId: about(z.optional(runId), 'Of `follow`: the run. Default: all runs from now on.'),
      sender: about(
        z.optional(
          z
            .string()
            .check(z.regex(/^[^\p{Cc}]{1,100}$/u, 'is 1 to 100 characters without control characters')),
        ),
        'Of `send`: a name for the program. A later sender with this name replaces it.',
      ),
    }),
    output: z.strictObject({
      ticket: z.string(),
      path: about(z.string(), 'Where to connect, with the ticket: `wss://HOST` and this.'),
      expiresAt: z.number(),
    }),
    http: { verb: 'get', path: '/inspect/ticket' },
  },
  'inspect.list': {
    scope: 'read',
    summary:
      'The actors that programs of the user show here through `createWebSocketInspector`, the one that moved last first. They are in memory: `dropped` were forgotten because there were too many.',
    input: z.strictObject({}),
    output: z.strictObject({ actors: z.array(actorSummary), dropped: z.int() }),
    http: { verb: 'get', path: '/inspect/actors' },
  },
  'inspect.get': {
    scope: 'read',
    summary:
      'One of these actors, to be drawn like a run: its chart as `machine.get` and `machine.layout` give that of runs, and its transitions after `afterSeq` as `run.trace` does. All of it came from outside.',
    input: z.strictObject({
      actorId: about(word(100), 'Id of an actor, of `inspect.list`.'),
      afterSeq: z._default(seq, 0),
      limit: limit(5_000, 1_000),
      withChart: about(z._default(z.boolean(), true), 'Whether its chart is in the answer.'),
    }),
    output: named(
      'LiveActor',
      z.strictObject({
        actor: actorSummary,
        trace,
        definition: z.exactOptional(z.nullable(machineDefinition)),
        layout: z.exactOptional(z.nullable(machineLayout)),
        refused: about(z.exactOptional(z.nullable(z.string())), 'Why it has no definition, or no layout.'),
      }),
    ),
    http: { verb: 'get', path: '/inspect/actors/{actorId}' },
  },
} satisfies Declarations;
