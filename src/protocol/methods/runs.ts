import * as z from 'zod/mini';
import { type RunDelta, type RunEvent, runDeltaPayloads, runEventPayloads } from '../run-events.ts';
import { runSummary } from './answers/conversation.ts';
import {
  forked,
  forkPreview,
  loggedTransition,
  runDiff,
  runMoment,
  runPrompt,
  why,
} from './answers/history.ts';
import { clientRun } from './answers/run.ts';
import { trace } from './answers/trace.ts';
import {
  about,
  approve,
  count,
  cursor,
  idempotencyKey,
  limit,
  named,
  runId,
  seq,
  sessionId,
  statuses,
  text,
  time,
  toReaders,
  word,
} from './fields.ts';
import type { Declarations } from './method.ts';

/** There is more of a list of unknown length. */
const nextAfterSeq = about(
  z.exactOptional(z.int()),
  'There is more: ask again, after this transition. Only over frames, whose answers have a megabyte or so; over HTTP the answer has all, and is written as it is read.',
);

const events = Object.entries(runEventPayloads).map(([event, payload]) =>
  z.strictObject({
    event: z.literal(event),
    runId: z.string(),
    seq: z.int(),
    index: z.int(),
    last: z.boolean(),
    at: z.number(),
    payload,
  }),
);

/** An event of a run: of each name with its payload. */
const runEvent = named('RunEvent', z.union(events) as z.ZodMiniType<RunEvent>);

const deltas = Object.entries(runDeltaPayloads).map(([event, payload]) =>
  z.strictObject({ event: z.literal(event), runId: z.string(), payload }),
);

/** What the stream of a run carries: its events, and pieces of answers. */
export const streamedEvent = z.union([
  runEvent,
  named('RunDelta', z.union(deltas) as z.ZodMiniType<RunDelta>),
]);

const editMessage = about(z.optional(word(2_000_000)), 'Replaces the newest message of the user.');
const afterSeq = z._default(seq, 0);

/** A transition of a run, in the feed of its tenant. */
export const feedEvent = z.strictObject({
  cursor,
  runId: z.string(),
  sessionId: z.string(),
  workflow: z.exactOptional(z.string()),
  seq: z.int(),
  at: z.int(),
  type: about(toReaders(z.string()), 'The event of the statechart.'),
  state: about(toReaders(z.string()), 'The state after it.'),
  waits: about(z.boolean(), 'Whether the run waits for a person, or for its client, in this state.'),
  ended: about(z.boolean(), 'Whether the run has ended with it.'),
});

export const runMethods = {
  'run.get': {
    scope: 'read',
    talk: true,
    summary: 'The run as it stands, with what is legal now.',
    input: z.strictObject({ runId }),
    output: clientRun,
    http: { verb: 'get', path: '/runs/{runId}' },
  },
  'run.list': {
    scope: 'read',
    talk: true,
    summary: 'Runs, newest first.',
    input: z.strictObject({
      sessionId: z.optional(sessionId),
      status: z.optional(statuses),
      since: z.optional(time),
      model: about(z.optional(text(200)), '`provider/model`.'),
      words: about(z.optional(text(200)), 'In the first message, the id, or the key of the session.'),
      course: about(z.optional(z.boolean()), 'Each run has the states that it has been in, with how long.'),
      limit: limit(1000, 100),
    }),
    output: z.strictObject({ runs: z.array(runSummary) }),
    http: { verb: 'get', path: '/runs' },
  },
  'feed.list': {
    scope: 'read',
    summary:
      'The transitions of all runs that the caller sees, after a place: each once, in the order of the commits.',
    input: z.strictObject({
      after: about(
        z.optional(cursor),
        'The `cursor` of a page or an event; 0 for the beginning. Default: the end.',
      ),
      waitMs: about(
        z._default(count.check(z.lte(60_000)), 0),
        'How long to wait for the first event, if there is none yet.',
      ),
    }),
    output: z.strictObject({
      events: z.array(feedEvent),
      cursor,
      more: about(z.boolean(), 'Whether there is more already.'),
    }),
    http: { verb: 'get', path: '/feed' },
  },
  'feed.subscribe': {
    scope: 'read',
    talk: true,
    summary: 'Sends the transitions of all runs that the caller sees, after a place, as events `run.moved`.',
    input: z.strictObject({
      after: about(z.optional(cursor), 'The last `cursor` that the client has. Default: from now on.'),
    }),
    output: z.strictObject({ cursor }),
    beside: true,
  },
  'feed.unsubscribe': {
    scope: 'read',
    talk: true,
    summary: 'Stops sending what happens to all runs.',
    input: z.strictObject({}),
    output: z.strictObject({ subscribed: about(z.boolean(), 'Whether it was sent.') }),
    beside: true,
  },
  'run.counts': {
    scope: 'read',
    summary:
      'How many runs are in each state now, and how many ended in each since a time. Unfinished workflows are counted as `workflow`, and runs of agents whose process ended at work as `interrupted`, in no other state.',
    input: z.strictObject({ since: z.optional(time) }),
    output: z.strictObject({ counts: z.record(z.string(), z.int()) }),
    http: { verb: 'get', path: '/run-counts' },
  },
  'run.find': {
    scope: 'read',
    summary: 'The id of the run that a person means: an id, the beginning of one, or `last`.',
    input: z.strictObject({ word: word() }),
    output: z.strictObject({ runId: z.string() }),
    http: { verb: 'get', path: '/run-search' },
  },
  'run.events': {
    scope: 'read',
    talk: true,
    summary: 'The events of the run so far, after the transition `afterSeq`.',
    input: z.strictObject({ runId, afterSeq }),
    output: z.strictObject({ events: z.array(runEvent), nextAfterSeq }),
    http: { verb: 'get', path: '/runs/{runId}/timeline' },
  },
  'run.log': {
    scope: 'read',
    summary: 'The transitions of the run with their messages, after the transition `afterSeq`.',
    input: z.strictObject({ runId, afterSeq }),
    output: z.strictObject({ transitions: z.array(loggedTransition), nextAfterSeq }),
    http: { verb: 'get', path: '/runs/{runId}/log' },
  },
  'run.trace': {
    scope: 'read',
    summary:
      'What the machine did at each transition after `afterSeq`: its edges, guards and changes of context, and when each effect was at work. At most `limit` of them, fewer if they are large: ask again after the last one, up to `lastSeq`.',
    input: z.strictObject({ runId, afterSeq, limit: limit(5_000, 1_000) }),
    output: trace,
    http: { verb: 'get', path: '/runs/{runId}/trace' },
  },
  'run.why': {
    scope: 'read',
    summary: 'Why the run is in its state, in plain words.',
    input: z.strictObject({ runId }),
    output: why,
    http: { verb: 'get', path: '/runs/{runId}/why' },
  },
  'run.context': {
    scope: 'read',
    summary:
      'How full the window of the run’s model was at its newest answer, in tokens; null if it is not known.',
    input: z.strictObject({ runId }),
    output: z.strictObject({
      context: z.nullable(
        z.strictObject({
          /** `provider/model`. */
          model: z.string(),
          /** Of the prompt and the answer, as the provider counted them. */
          tokens: z.int(),
          /** What the model can hold. */
          window: z.int(),
          pruneAt: about(z.number(), 'From here on old tool results are shortened.'),
          compactAt: about(z.number(), 'From here on a summary replaces old messages.'),
        }),
      ),
    }),
    http: { verb: 'get', path: '/runs/{runId}/context' },
  },
  'run.diff': {
    scope: 'read',
    summary: 'Where two runs part, and how each ended.',
    input: z.strictObject({ runId, otherRunId: runId }),
    output: runDiff,
    http: { verb: 'get', path: '/runs/{runId}/diff/{otherRunId}' },
  },
  'run.at': {
    scope: 'read',
    summary: 'The run as it stood after a transition: state, context, conversation, and what was legal then.',
    input: z.strictObject({
      runId,
      seq,
      messages: about(
        z._default(z.enum(['all', 'transition']), 'all'),
        '`transition`: only those that this transition wrote, not the whole conversation.',
      ),
    }),
    output: runMoment,
    http: { verb: 'get', path: '/runs/{runId}/at/{seq}' },
  },
  'run.prompt': {
    scope: 'admin',
    summary:
      'What a model was sent: the messages and the tools of the newest call that the run had asked for by a transition, rebuilt from the log with the tools and skills of now. A page of them: ask again from `nextFrom` on.',
    input: z.strictObject({
      runId,
      seq: about(z.optional(seq), 'Default: the last transition.'),
      from: about(z._default(count, 0), 'The first message or tool of the page.'),
    }),
    output: runPrompt,
    http: { verb: 'get', path: '/runs/{runId}/prompt' },
  },
  'run.forkPreview': {
    scope: 'read',
    summary: 'What a fork would be, and the effects that it would start, without making it.',
    input: z.strictObject({ runId, at: seq, editMessage }),
    output: forkPreview,
    http: { verb: 'get', path: '/runs/{runId}/fork-preview' },
  },
  'run.fork': {
    scope: 'write',
    summary: 'A copy of the run as it stood after a transition, in a session of its own.',
    input: z.strictObject({
      runId,
      at: about(seq, 'The last transition that the fork keeps; 0 keeps only the prompt.'),
      editMessage,
      model: about(z.optional(text(200)), 'Needs the scope `admin`.'),
      approve,
      resume: about(z._default(z.boolean(), false), 'Whether the fork goes on at once.'),
      idempotencyKey,
    }),
    output: forked,
    http: { verb: 'post', path: '/runs/{runId}/forks', status: 201 },
    keyed: 'noted',
  },
  'run.resume': {
    scope: 'write',
    talk: true,
    summary: 'Resumes the unfinished runs of the run’s session.',
    input: z.strictObject({ runId, idempotencyKey }),
    output: z.strictObject({ runs: z.array(z.string()) }),
    http: { verb: 'post', path: '/runs/{runId}/resume', status: 202 },
    keyed: 'repeated',
  },
} satisfies Declarations;
