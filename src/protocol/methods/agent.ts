import * as z from 'zod/mini';
import { clientCallCounts, runModes } from '../enums.ts';
import { waitedRun } from './answers/run.ts';
import { about, approve, idempotencyKey, limit, named, runId, seq, sessionId, text, word } from './fields.ts';
import type { Declarations } from './method.ts';

const attachments = z
  .array(
    z.union([
      about(z.strictObject({ id: word() }), 'An uploaded attachment.'),
      about(
        z.strictObject({
          data: about(z.base64(), 'The bytes, in base64.'),
          name: z.optional(text(200)),
          mimeType: z.optional(text(200)),
        }),
        'The bytes themselves.',
      ),
    ]),
  )
  .check(z.maxLength(20));

const names = z.array(word()).check(z.maxLength(1000));
const anyObject = z.record(z.string(), z.unknown());

/** A run that takes a prompt or an input. */
export const runStarted = named('RunStarted', z.strictObject({ runId: z.string(), sessionId: z.string() }));

export const agentMethods = {
  'agent.run': {
    scope: 'write',
    talk: true,
    summary: 'Starts a run with a prompt, in a new or an existing session.',
    input: z.strictObject({
      prompt: word(2_000_000),
      sessionId: about(z.optional(sessionId), 'Default: a new session.'),
      after: about(
        z.optional(runId),
        'Instead of `sessionId`: goes on with the conversation as it stood at the end of this run. A second run after the same one gets a session of its own.',
      ),
      mode: about(z.optional(z.enum(runModes)), 'In a busy session. Default: `queue`.'),
      agent: z.optional(text(200)),
      tools: about(z.optional(names), 'The only tools the run may use, out of those of its agent.'),
      clientTools: about(
        z.optional(
          z
            .array(
              z.strictObject({
                name: text(64),
                description: z.optional(text()),
                parameters: about(z.optional(anyObject), 'JSON Schema of type object.'),
              }),
            )
            .check(z.maxLength(128)),
        ),
        'Tools that the client performs: the run waits for `client.result` when the model calls one.',
      ),
      clientCalls: about(
        z.optional(z.enum(clientCallCounts)),
        '`one`: the model may call one of them at a time. Default: `many`.',
      ),
      skills: about(z.optional(names), 'The only skills it may use, out of those of its agent.'),
      approve,
      output: about(z.optional(anyObject), 'JSON Schema that the last answer must fit.'),
      attachments: z.optional(attachments),
      metadata: about(
        z.optional(z.record(text(64), text(512))),
        'Words about the run, at most 16, which `run.get` shows.',
      ),
      cache: z.optional(z.boolean()),
      stream: z.optional(z.boolean()),
      system: about(z.optional(text(1_000_000)), 'Needs the scope `admin`.'),
      model: about(z.optional(text(200)), 'Needs the scope `admin`.'),
      limits: about(z.optional(anyObject), 'Needs the scope `admin`.'),
      budget: about(z.optional(text(200)), 'Needs the scope `admin`.'),
      subscribe: about(z.optional(z.boolean()), 'Over a connection: watch the run. Default true.'),
      idempotencyKey,
    }),
    output: runStarted,
    http: { verb: 'post', path: '/runs', status: 202 },
    makesSessions: true,
    startsAgents: true,
    keyed: 'run',
  },
  'tool.call': {
    scope: 'write',
    summary:
      "Makes one call of a tool, without a model: a run of its own, which asks a person as an agent's call does. `call` of the run has the result.",
    input: z.strictObject({
      tool: word(),
      input: about(z.optional(anyObject), 'The arguments of the tool. Default: none.'),
      agent: about(z.optional(text(200)), 'Whose tools it may be of. Default: `default`.'),
      sessionId: about(z.optional(sessionId), 'Default: a new session.'),
      approve,
      idempotencyKey,
    }),
    output: runStarted,
    http: { verb: 'post', path: '/tools/{tool}/calls', status: 202 },
    makesSessions: true,
    startsAgents: true,
    keyed: 'run',
  },
  'agent.wait': {
    scope: 'read',
    talk: true,
    summary: 'Waits until the run has ended or needs a person, or the time is up.',
    input: z.strictObject({ runId, timeoutMs: limit(60_000, 30_000) }),
    output: waitedRun,
    http: { verb: 'get', path: '/runs/{runId}/wait' },
    beside: true,
  },
  'agent.cancel': {
    scope: 'write',
    talk: true,
    summary: 'Cancels the run. Repeating it does nothing.',
    input: z.strictObject({ runId, reason: z.optional(text(1000)), idempotencyKey }),
    output: z.strictObject({ cancelled: about(z.boolean(), 'False if it had ended before.') }),
    http: { verb: 'post', path: '/runs/{runId}/cancel' },
    keyed: 'repeated',
  },
  'agent.steer': {
    scope: 'write',
    talk: true,
    summary: 'Adds a message to the run. The next model call includes it.',
    input: z.strictObject({
      runId,
      message: word(2_000_000),
      attachments: z.optional(attachments),
      idempotencyKey,
    }),
    output: z.strictObject({ runId: z.string() }),
    http: { verb: 'post', path: '/runs/{runId}/messages', status: 202 },
    keyed: 'noted',
  },
  'run.subscribe': {
    scope: 'read',
    talk: true,
    summary: 'Sends the events of the run from now on, after those since `afterSeq`.',
    input: z.strictObject({
      runId,
      afterSeq: about(z._default(seq, 0), 'The last `seq` of which the client has all events.'),
      events: about(z._default(z.enum(['all', 'compact']), 'all'), '`compact` joins pieces of answers.'),
    }),
    output: z.strictObject({ runId: z.string() }),
    beside: true,
  },
  'run.unsubscribe': {
    scope: 'read',
    talk: true,
    summary: 'Stops sending the events of the run.',
    input: z.strictObject({ runId }),
    output: z.strictObject({ subscribed: about(z.boolean(), 'Whether it was watched.') }),
    beside: true,
  },
  ping: {
    scope: 'read',
    talk: true,
    summary: 'Shows that the client is alive. Pages cannot see the pings of the WebSocket itself.',
    input: z.strictObject({}),
    output: z.strictObject({}),
    beside: true,
  },
} satisfies Declarations;
