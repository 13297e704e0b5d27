import { z } from 'zod';
import type { RunRequest } from '../../index.ts';
import { type Scope, seenUser } from '../../protocol/access.ts';
import { userOf } from '../owners.ts';
import { approve, attachments, limit, runId, runView, seq, sessionId, view } from './fields.ts';
import { byOf, type Call, keyOf, type Method, method, rightsOf } from './method.ts';
import { viewOf } from './run-views.ts';

const names = z.array(z.string().min(1).max(200)).max(1000);

/** What the host decides, unless the caller may administrate: which model, instructions, limits and purse a run has. */
const hostsOwn = ['system', 'model', 'limits', 'budget'] as const;

const runInput = z.strictObject({
  prompt: z.string().min(1).max(2_000_000),
  sessionId: sessionId.optional().describe('Default: a new session.'),
  after: runId
    .optional()
    .describe(
      'Instead of `sessionId`: goes on with the conversation as it stood at the end of this run. A second run after the same one gets a session of its own.',
    ),
  mode: z.enum(['queue', 'steer', 'interrupt']).optional().describe('In a busy session. Default: `queue`.'),
  agent: z.string().max(200).optional(),
  tools: names.optional().describe('The only tools the run may use, out of those of its agent.'),
  clientTools: z
    .array(
      z.strictObject({
        name: z.string().max(64),
        description: z.string().max(100_000).optional(),
        parameters: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of type object.'),
      }),
    )
    .max(128)
    .optional()
    .describe('Tools that the client performs: the run waits for `client.result` when the model calls one.'),
  clientCalls: z
    .enum(['one', 'many'])
    .optional()
    .describe('`one`: the model may call one of them at a time. Default: `many`.'),
  skills: names.optional().describe('The only skills it may use, out of those of its agent.'),
  approve,
  output: z.record(z.string(), z.unknown()).optional().describe('JSON Schema that the last answer must fit.'),
  attachments: attachments.optional(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .optional()
    .describe('Words about the run, at most 16, which `run.get` shows.'),
  cache: z.boolean().optional(),
  stream: z.boolean().optional(),
  system: z.string().max(1_000_000).optional().describe('Needs the scope `admin`.'),
  model: z.string().max(200).optional().describe('Needs the scope `admin`.'),
  limits: z.record(z.string(), z.unknown()).optional().describe('Needs the scope `admin`.'),
  budget: z.string().max(200).optional().describe('Needs the scope `admin`.'),
  subscribe: z.boolean().optional().describe('Over a connection: watch the run. Default true.'),
});

const waited = z
  .looseObject({
    ...runView.shape,
    isSettled: z
      .boolean()
      .describe('Whether it has ended or cannot go on without a person; false when the time was up.'),
  })
  .meta({ id: 'WaitedRun' });

function needsOf(input: z.output<typeof runInput>): Scope[] {
  const needs: Scope[] = input.approve === 'all' ? ['approve'] : [];
  return hostsOwn.some((field) => input[field] !== undefined) ? [...needs, 'admin'] : needs;
}

/** The user whose conversation the run goes on with. */
async function ownerOf(call: Call, { sessionId, after }: z.output<typeof runInput>): Promise<string | null> {
  if (after !== undefined) return (await call.detent.runs.ownerOf(after, call.caller.tenantId)).userId;
  return sessionId === undefined ? call.caller.userId : userOf(call, sessionId);
}

async function startRun(call: Call, input: z.output<typeof runInput>) {
  call.refuseNewRuns();
  const { detent, caller, watching } = call;
  const { prompt, sessionId: session, subscribe = true, ...rest } = input;
  // A run that the host adds to a user's session is that user's.
  const userId = seenUser(caller) ?? (await ownerOf(call, input));
  const request = {
    ...rest,
    ...(rest.mode === 'steer' && rightsOf(call)),
    ...(hostsOwn.some((field) => input[field] !== undefined) && { byAdmin: true }),
    ...(session !== undefined && { session }),
    principal: { tenantId: caller.tenantId, ...(userId !== null && { userId }) },
    ...byOf(call),
  } as RunRequest;
  // A run that the client could not watch must not begin.
  const giveBack = subscribe ? watching?.reserve() : undefined;
  const runId = await started(call, prompt, request).finally(giveBack);
  if (subscribe) watching?.watch(runId, 0, false);
  const { sessionId } = await detent.runs.ownerOf(runId, caller.tenantId);
  return { runId, sessionId };
}

/** The run that took the prompt, which has a place until it rests. */
async function started({ detent, takeRun }: Call, prompt: string, request: RunRequest): Promise<string> {
  const place = takeRun();
  try {
    const run = detent.run(prompt, request);
    const runId = await run.started;
    place.keep(runId, run.result);
    return runId;
  } catch (error) {
    place.release();
    throw error;
  }
}

export const agentMethods: readonly Method[] = [
  method({
    name: 'agent.run',
    scope: 'write',
    summary: 'Starts a run with a prompt, in a new or an existing session.',
    input: runInput,
    output: view({ runId: z.string(), sessionId: z.string() }, 'RunStarted'),
    http: { verb: 'post', path: '/runs', status: 202 },
    makesSessions: true,
    startsAgents: true,
    keyed: 'run',
    alsoNeeds: needsOf,
    perform: startRun,
  }),
  method({
    name: 'agent.wait',
    scope: 'read',
    summary: 'Waits until the run has ended or needs a person, or the time is up.',
    input: z.strictObject({ runId, timeoutMs: limit(60_000, 30_000) }),
    output: waited,
    http: { verb: 'get', path: '/runs/{runId}/wait' },
    beside: true,
    async perform(call, input) {
      const { result } = call.detent.runs.attach(input.runId, call.caller.tenantId);
      const isSettled = await settledOr(result, input.timeoutMs, call.signal);
      return { ...(await viewOf(call, input.runId)), isSettled };
    },
  }),
  method({
    name: 'agent.cancel',
    scope: 'write',
    summary: 'Cancels the run. Repeating it does nothing.',
    input: z.strictObject({ runId, reason: z.string().max(1000).optional() }),
    output: z.strictObject({ cancelled: z.boolean().describe('False if it had ended before.') }),
    http: { verb: 'post', path: '/runs/{runId}/cancel' },
    keyed: 'repeated',
    perform: async (call, { runId, reason }) => ({
      cancelled: await call.detent.runs.cancel(runId, reason, call.caller.tenantId, byOf(call)),
    }),
  }),
  method({
    name: 'agent.steer',
    scope: 'write',
    summary: 'Adds a message to the run. The next model call gets it.',
    input: z.strictObject({
      runId,
      message: z.string().min(1).max(2_000_000),
      attachments: attachments.optional(),
    }),
    output: z.strictObject({ runId: z.string() }),
    http: { verb: 'post', path: '/runs/{runId}/messages', status: 202 },
    keyed: 'repeated',
    async perform(call, { runId, message, attachments }) {
      const extra = {
        ...(attachments && { attachments }),
        ...keyOf(call),
        ...rightsOf(call),
        ...byOf(call),
      } as Pick<RunRequest, 'attachments' | 'mayApprove' | 'by'>;
      await call.detent.runs.steer(runId, message, call.caller.tenantId, extra);
      return { runId };
    },
  }),
  method({
    name: 'run.subscribe',
    scope: 'read',
    summary: 'Sends the events of the run from now on, after those since `afterSeq`.',
    input: z.strictObject({
      runId,
      afterSeq: seq.default(0).describe('The last `seq` of which the client has all events.'),
      events: z.enum(['all', 'compact']).default('all').describe('`compact` joins pieces of answers.'),
    }),
    output: z.strictObject({ runId: z.string() }),
    beside: true,
    async perform({ detent, caller, watching }, { runId, afterSeq, events }) {
      await detent.runs.ownerOf(runId, caller.tenantId);
      watching?.watch(runId, afterSeq, events === 'compact');
      return { runId };
    },
  }),
  method({
    name: 'run.unsubscribe',
    scope: 'read',
    summary: 'Stops sending the events of the run.',
    input: z.strictObject({ runId }),
    output: z.strictObject({ subscribed: z.boolean().describe('Whether it was watched.') }),
    beside: true,
    perform: async ({ watching }, { runId }) => ({ subscribed: watching?.unwatch(runId) ?? false }),
  }),
  method({
    name: 'ping',
    scope: 'read',
    summary: 'Gives a sign of life. Pages cannot see those of the WebSocket itself.',
    input: z.strictObject({}),
    output: z.strictObject({}),
    beside: true,
    perform: async () => ({}),
  }),
];

/** Resolves when the run rests, to true, when the time is up, or when the client has gone. */
async function settledOr(result: Promise<unknown>, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const isOver = Promise.withResolvers<boolean>();
  const giveUp = () => isOver.resolve(false);
  // Its own timer: that of AbortSignal.timeout runs on when the wait is over, and keeps what the wait made.
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([result.then(() => true), isOver.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
