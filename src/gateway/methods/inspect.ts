import { z } from 'zod';
import { DetentError } from '../../protocol/error.ts';
import { limit, runId, runTrace, seq, view } from './fields.ts';
import { type Method, method } from './method.ts';

const paths = z.union([z.string(), z.array(z.string())]);

const actorSummary = view(
  {
    actorId: z.string(),
    name: z.string(),
    sender: z.string().nullable().describe('The name of its program.'),
    sessionId: z.string().describe('Its id within its program.'),
    parentSessionId: z.string().optional().describe('The id of its parent within the program.'),
    parentActorId: z.string().optional().describe('The id of its parent here, if that is here as well.'),
    status: z.enum(['active', 'done', 'error', 'stopped']),
    isConnected: z.boolean().describe('Whether its program is connected.'),
    path: paths,
    tags: z.array(z.string()),
    lastSeq: z.int(),
    dropped: z.int().describe('Transitions that were forgotten because there were too many.'),
    createdAt: z.number(),
    updatedAt: z.number(),
    registeredAt: z
      .number()
      .describe('Changes when the actor is registered again: its transitions then begin anew.'),
  },
  'ActorSummary',
);

export const inspectMethods: readonly Method[] = [
  method({
    name: 'inspect.ticket',
    scope: 'read',
    summary:
      'A ticket for one WebSocket of an inspector, such as `createWebSocketReceiver` of `@statelyai/inspect`: it works once, for a minute.',
    input: z.strictObject({
      use: z
        .enum(['follow', 'send'])
        .default('follow')
        .describe('`send`: for actors of your own that show themselves here; needs the scope `write`.'),
      runId: runId.optional().describe('Of `follow`: the run. Default: all runs from now on.'),
      sender: z
        .string()
        .regex(/^[^\p{Cc}]{1,100}$/u, 'is 1 to 100 characters without control characters')
        .optional()
        .describe(
          'Of `send`: a name for the program. A later sender of this name takes the place of this one.',
        ),
    }),
    output: z.strictObject({
      ticket: z.string(),
      path: z.string().describe('Where to connect, with the ticket: `wss://HOST` and this.'),
      expiresAt: z.number(),
    }),
    http: { verb: 'get', path: '/inspect/ticket' },
    alsoNeeds: ({ use }) => (use === 'send' ? ['write'] : []),
    async perform(call, { use, runId, sender }) {
      refuseField(runId === undefined || use === 'follow', 'runId', 'follow');
      refuseField(sender === undefined || use === 'send', 'sender', 'send');
      if (use === 'send') return call.inspect.ticket({ use, sender: sender ?? null });
      if (runId !== undefined) await call.detent.runs.ownerOf(runId, call.caller.tenantId);
      return call.inspect.ticket({ use, runId: runId ?? null });
    },
  }),
  method({
    name: 'inspect.list',
    scope: 'read',
    summary:
      'The actors that programs of the user show here through `createWebSocketInspector`, the one that moved last first. They are in memory: `dropped` were forgotten because there were too many.',
    input: z.strictObject({}),
    output: z.strictObject({ actors: z.array(actorSummary), dropped: z.int() }),
    http: { verb: 'get', path: '/inspect/actors' },
    perform: async ({ inspect, caller }) => {
      const { actors, dropped } = inspect.actors.list(caller);
      return { actors: actors.map((actor) => ({ ...actor, tags: [...actor.tags] })), dropped };
    },
  }),
  method({
    name: 'inspect.get',
    scope: 'read',
    summary:
      'One of these actors, to be drawn like a run: its chart as `machine.get` and `machine.layout` give that of runs, and its transitions after `afterSeq` as `run.trace` does. All of it came from outside.',
    input: z.strictObject({
      actorId: z.string().min(1).max(100).describe('Id of an actor, of `inspect.list`.'),
      afterSeq: seq.default(0),
      limit: limit(5_000, 1_000),
      withChart: z.boolean().default(true).describe('Whether its chart is in the answer.'),
    }),
    output: view(
      {
        actor: actorSummary,
        trace: runTrace,
        definition: view({}, 'Machine').nullable().optional(),
        layout: view({}, 'MachineLayout').nullable().optional(),
        refused: z.string().nullable().optional().describe('Why it has no definition, or no layout.'),
      },
      'LiveActor',
    ),
    http: { verb: 'get', path: '/inspect/actors/{actorId}' },
    async perform({ inspect, caller }, { actorId, afterSeq, limit, withChart }) {
      const { actor, summary } = inspect.actors.get(caller, actorId);
      const answer = {
        actor: { ...summary, tags: [...summary.tags] },
        trace: { ...actor.trace(afterSeq, limit) },
      };
      if (!withChart) return answer;
      const { definition, refused } = actor.chart;
      if (!definition) return { ...answer, definition: null, layout: null, refused };
      const drawn = await inspect.layout(definition);
      return {
        ...answer,
        definition: { ...definition },
        layout: drawn.layout && { ...drawn.layout },
        refused: drawn.refused,
      };
    },
  }),
];

function refuseField(isFine: boolean, field: string, use: string): void {
  if (isFine) return;
  throw new DetentError('INVALID_REQUEST', `"${field}" goes with the use "${use}", and only with it`, {
    details: { field },
  });
}
