import { z } from 'zod';
import { runStatuses } from '../../protocol/run-view.ts';

/** Fields that several methods share. */

export const runId = z.string().min(1).max(200).describe('Id of a run.');
export const sessionId = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'is 1 to 200 characters without control characters')
  .describe('Key of a session.');
export const callId = z
  .string()
  .regex(/^c[1-9][0-9]{0,8}$/, 'is the id of a call, such as c7')
  .describe('Id of a call within its run, such as `c7`.');
export const seq = z.int().min(0).describe('Number of a transition of the run.');
export const cursor = z.int().min(0).describe('A place in what happens to the runs of a tenant.');
export const limit = (most: number, usual: number) => z.int().min(1).max(most).default(usual);
/** Of a search, which has a limit of its own. */
export const hits = z.int().min(1).max(100).optional().describe('Default: 6.');
export const statuses = z.array(z.enum(runStatuses)).max(runStatuses.length);
export const since = z.int().min(0).describe('Milliseconds since the epoch.');
export const hash = z.string().min(1).max(200).describe('`argumentsHash` of what the person saw.');
export const approve = z
  .enum(['ask', 'all', 'none'])
  .optional()
  .describe('`all` lets every call run without a person, and needs the scope `approve`.');
export const queries = z.union([
  z.string().min(1).max(4000),
  z.array(z.string().min(1).max(4000)).min(1).max(4),
]);

export const attachments = z
  .array(
    z.union([
      z.strictObject({ id: z.string().min(1).max(200) }).describe('An uploaded attachment.'),
      z
        .strictObject({
          data: z.base64().describe('The bytes, in base64.'),
          name: z.string().max(200).optional(),
          mimeType: z.string().max(200).optional(),
        })
        .describe('The bytes themselves.'),
    ]),
  )
  .max(20);

/** An object of which only the most used fields are described. */
export const view = (shape: z.ZodRawShape, id?: string) => {
  const schema = z.looseObject(shape);
  return id === undefined ? schema : schema.meta({ id });
};

export const runView = view(
  {
    runId: z.string(),
    sessionId: z.string(),
    status: z.enum(runStatuses),
    outcome: z.string().nullable(),
    text: z.string().describe('Of the last answer.'),
    pending: z.array(
      view({ kind: z.enum(['confirm', 'question', 'reconcile', 'client']), callId: z.string() }),
    ),
    allowed: z
      .array(view({ type: z.string() }))
      .describe('The commands that are legal now, for the buttons of a page.'),
    error: view({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
  },
  'Run',
);

export const runSummary = view(
  {
    runId: z.string(),
    sessionId: z.string(),
    status: z.enum(runStatuses),
    state: z.string().describe('Of its statechart, as people know it: `thinking`, `awaitingConfirm`.'),
    outcome: z.string().nullable(),
    workflow: z.string().optional().describe('The id of its chart; its agent and model are empty.'),
    agent: z.string(),
    model: z.string(),
    prompt: z.string().describe('The first words of its first message, or of the input of a workflow.'),
    asks: z.array(z.string()).optional().describe('The tools that it asks about.'),
    error: view({ code: z.string(), message: z.string() }).optional(),
    course: z
      .array(z.tuple([z.string(), z.number()]))
      .optional()
      .describe('The states that it has been in, each with how long, in milliseconds.'),
    costUsd: z.number().nullable(),
    createdAt: z.number(),
    updatedAt: z.number(),
  },
  'RunSummary',
);

const paths = z.union([z.string(), z.array(z.string())]);

export const runTrace = view(
  {
    runId: z.string(),
    sessionId: z.string(),
    machine: view({ name: z.string(), version: z.int(), hash: z.string().nullable(), known: z.boolean() }),
    lastSeq: z.int(),
    ended: z.boolean(),
    agrees: z
      .int()
      .describe(
        'Transitions that agree with the machine in state and context, of those up to the end of the answer at least.',
      ),
    transitions: z.array(
      view({
        seq: z.int(),
        at: z.number(),
        event: view({ type: z.string() }),
        label: z.string().optional().describe('Of a workflow: its event in the names of its chart.'),
        by: view({ kind: z.enum(['person', 'effect', 'timer', 'system']) }),
        way: z.int().describe('Its key in `ways`.'),
        changes: z
          .record(z.string(), z.array(z.unknown()))
          .describe('By key of the context: before and after.'),
        hash: z.string(),
      }),
    ),
    ways: z
      .record(
        z.string(),
        view({
          from: paths,
          to: paths,
          edges: z
            .array(z.string())
            .describe('Ids of the edges of `machine.layout`, in the order in which it took them.'),
          guards: z.array(view({ guard: z.string(), holds: z.boolean() })),
        }),
      )
      .describe('The ways of these transitions through the chart.'),
    spans: z.array(
      view({
        id: z.int(),
        effect: z.int(),
        lane: z.enum(['model', 'tools', 'people', 'host']),
        label: z.string(),
        seq: z.int(),
        startedAt: z.number(),
        endedAt: z.number().nullable(),
        attempt: z.int(),
      }),
    ),
  },
  'RunTrace',
);

export const sessionSummary = view(
  {
    sessionId: z.string(),
    status: z.enum(runStatuses).nullable().describe('Of its first unfinished run, or its last one.'),
    state: z.string().nullable().describe('Of that run.'),
    asks: z.array(z.string()).optional().describe('The tools that it asks about.'),
    error: view({ code: z.string(), message: z.string() }).optional(),
    prompt: z.string().describe('The first words of its first message.'),
    last: z.string().describe('The first words of the last answer.'),
    lastActivityAt: z.number(),
  },
  'SessionSummary',
);

export const event = view(
  {
    event: z.string(),
    runId: z.string(),
    seq: z.int(),
    index: z.int(),
    last: z.boolean(),
    at: z.number(),
    payload: z.looseObject({}),
  },
  'RunEvent',
);

export const decided = view(
  {
    applied: z.boolean().describe('False when an earlier decision won.'),
    verdict: z.string().describe('The one that counts.'),
    stands: z.boolean().describe('Whether it is the one asked for.'),
  },
  'Decided',
);
