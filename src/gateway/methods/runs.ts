import { z } from 'zod';
import type { Detent, ForkOptions, RunSummary } from '../../index.ts';
import type { Caller } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { awaitFeed } from '../feed.ts';
import { Listed } from '../listed.ts';
import { isBound, ofCaller } from '../owners.ts';
import {
  approve,
  cursor,
  event,
  limit,
  runId,
  runSummary,
  runTrace,
  runView,
  seq,
  sessionId,
  since,
  statuses,
  view,
} from './fields.ts';
import { byOf, type Call, type Method, method } from './method.ts';
import { viewOf } from './run-views.ts';

const editMessage = z.string().min(1).max(2_000_000).describe('Replaces the newest message of the user.');

const nextAfterSeq = z
  .int()
  .optional()
  .describe(
    'There is more: ask again, after this transition. Only over frames, whose answers have a megabyte or so; over HTTP the answer has all, and is written as it is read.',
  );

export const runMethods: readonly Method[] = [
  method({
    name: 'run.get',
    scope: 'read',
    summary: 'The run as it stands, with what is legal now.',
    input: z.strictObject({ runId }),
    output: runView,
    http: { verb: 'get', path: '/runs/{runId}' },
    perform: (call, { runId }) => viewOf(call, runId),
  }),
  method({
    name: 'run.list',
    scope: 'read',
    summary: 'Runs, newest first.',
    input: z.strictObject({
      sessionId: sessionId.optional(),
      status: statuses.optional(),
      since: since.optional(),
      model: z.string().max(200).optional().describe('`provider/model`.'),
      words: z
        .string()
        .max(200)
        .optional()
        .describe('In the first message, the id, or the key of the session.'),
      course: z.boolean().optional().describe('Each run has the states that it has been in, with how long.'),
      limit: limit(1000, 100),
    }),
    output: z.strictObject({ runs: z.array(runSummary) }),
    http: { verb: 'get', path: '/runs' },
    perform: async ({ detent, caller }, { sessionId, ...filter }) => ({
      runs: (await detent.runs.list({ ...filter, session: sessionId, ...ofCaller(caller) })).map((run) => ({
        ...run,
      })),
    }),
  }),
  method({
    name: 'feed.list',
    scope: 'read',
    summary:
      'What happened to all runs that the caller sees, behind a place: each transition once, in the order of the commits.',
    input: z.strictObject({
      after: cursor
        .optional()
        .describe('The `cursor` of a page or an event; 0 for the beginning. Default: the end.'),
      waitMs: z
        .int()
        .min(0)
        .max(60_000)
        .default(0)
        .describe('How long to wait for the first event, if there is none yet.'),
    }),
    output: z.strictObject({
      events: z.array(
        z.strictObject({
          cursor,
          runId: z.string(),
          sessionId: z.string(),
          workflow: z.string().optional(),
          seq: z.int(),
          at: z.int(),
          type: z.string().describe('The event of the statechart.'),
          state: z.string().describe('The state after it.'),
          waits: z
            .boolean()
            .describe('Whether the run waits for a person, or for its client, in this state.'),
          ended: z.boolean().describe('Whether the run has ended with it.'),
        }),
      ),
      cursor,
      more: z.boolean().describe('Whether there is more already.'),
    }),
    http: { verb: 'get', path: '/feed' },
    perform: ({ detent, caller, signal }, { after, waitMs }) =>
      awaitFeed(detent, ofCaller(caller), { after, waitMs, signal }),
  }),
  method({
    name: 'run.counts',
    scope: 'read',
    summary:
      'How many runs are in each state now, and how many ended in each since a time. Unfinished workflows are counted as `workflow`.',
    input: z.strictObject({ since: since.optional() }),
    output: z.strictObject({ counts: z.record(z.string(), z.int()) }),
    http: { verb: 'get', path: '/run-counts' },
    perform: async ({ detent, caller }, { since }) => ({
      counts: await detent.runs.counts({ ...(since !== undefined && { since }), ...ofCaller(caller) }),
    }),
  }),
  method({
    name: 'run.find',
    scope: 'read',
    summary: 'The id of the run that a person means: an id, the beginning of one, or `last`.',
    input: z.strictObject({ word: z.string().min(1).max(200) }),
    output: z.strictObject({ runId: z.string() }),
    http: { verb: 'get', path: '/run-search' },
    perform: async ({ detent, caller }, { word }) => ({ runId: await findOf(detent, caller, word) }),
  }),
  method({
    name: 'run.events',
    scope: 'read',
    summary: 'The events of the run so far, after the transition `afterSeq`.',
    input: z.strictObject({ runId, afterSeq: seq.default(0) }),
    output: z.strictObject({ events: z.array(event), nextAfterSeq }),
    http: { verb: 'get', path: '/runs/{runId}/timeline' },
    perform: async ({ detent, caller }, { runId, afterSeq }) =>
      Listed.of('events', detent.runs.readTimeline(runId, afterSeq, caller.tenantId), ({ seq, last }) =>
        last ? seq : null,
      ),
  }),
  method({
    name: 'run.log',
    scope: 'read',
    summary: 'The transitions of the run with their messages, after the transition `afterSeq`.',
    input: z.strictObject({ runId, afterSeq: seq.default(0) }),
    output: z.strictObject({ transitions: z.array(view({ seq: z.int() })), nextAfterSeq }),
    http: { verb: 'get', path: '/runs/{runId}/log' },
    perform: async ({ detent, caller }, { runId, afterSeq }) =>
      Listed.of('transitions', detent.runs.readEvents(runId, afterSeq, caller.tenantId), ({ seq }) => seq),
  }),
  method({
    name: 'run.trace',
    scope: 'read',
    summary:
      'What the machine did at each transition after `afterSeq`: its edges, guards and changes of context, and when each effect was at work. At most `limit` of them, fewer if they are large: ask again after the last one, up to `lastSeq`.',
    input: z.strictObject({ runId, afterSeq: seq.default(0), limit: limit(5_000, 1_000) }),
    output: runTrace,
    http: { verb: 'get', path: '/runs/{runId}/trace' },
    perform: async ({ detent, caller }, { runId, ...place }) => ({
      ...(await detent.runs.trace(runId, place, caller.tenantId)),
    }),
  }),
  method({
    name: 'run.why',
    scope: 'read',
    summary: 'Why the run is in its state, in plain words.',
    input: z.strictObject({ runId }),
    output: view({}, 'Why'),
    http: { verb: 'get', path: '/runs/{runId}/why' },
    perform: async ({ detent, caller }, { runId }) => ({
      ...(await detent.runs.why(runId, caller.tenantId)),
    }),
  }),
  method({
    name: 'run.context',
    scope: 'read',
    summary:
      'How full the window of the run’s model was at its newest answer, in tokens; null if it is not known.',
    input: z.strictObject({ runId }),
    output: z.strictObject({
      context: view({
        model: z.string(),
        tokens: z.int(),
        window: z.int(),
        pruneAt: z.int(),
        compactAt: z.int(),
      }).nullable(),
    }),
    http: { verb: 'get', path: '/runs/{runId}/context' },
    async perform({ detent, caller }, { runId }) {
      const context = await detent.runs.contextUse(runId, caller.tenantId);
      return { context: context && { ...context } };
    },
  }),
  method({
    name: 'run.diff',
    scope: 'read',
    summary: 'Where two runs part, and how each ended.',
    input: z.strictObject({ runId, otherRunId: runId }),
    output: view({}, 'RunDiff'),
    http: { verb: 'get', path: '/runs/{runId}/diff/{otherRunId}' },
    perform: async ({ detent, caller }, { runId, otherRunId }) => ({
      ...(await detent.runs.diff(runId, otherRunId, caller.tenantId)),
    }),
  }),
  method({
    name: 'run.at',
    scope: 'read',
    summary: 'The run as it stood after a transition: state, context, conversation, and what was legal then.',
    input: z.strictObject({
      runId,
      seq,
      messages: z
        .enum(['all', 'transition'])
        .default('all')
        .describe('`transition`: only those that this transition wrote, not the whole conversation.'),
    }),
    output: view({ runId: z.string(), seq: z.int(), path: z.string() }, 'RunMoment'),
    http: { verb: 'get', path: '/runs/{runId}/at/{seq}' },
    async perform({ detent, caller }, { runId, seq, messages }) {
      const moment = await detent.runs.at(runId, seq, caller.tenantId);
      if (messages === 'all') return { ...moment };
      const wrote = moment.messages.filter((message) => message.runId === runId && message.seq === seq);
      return { ...moment, messages: wrote };
    },
  }),
  method({
    name: 'run.forkPreview',
    scope: 'read',
    summary: 'What a fork would be, and the effects that it would start, without making it.',
    input: z.strictObject({ runId, at: seq, editMessage: editMessage.optional() }),
    output: view({ runId: z.string(), seq: z.int(), path: z.string() }, 'ForkPreview'),
    http: { verb: 'get', path: '/runs/{runId}/fork-preview' },
    perform: async ({ detent, caller }, { runId, ...options }) => ({
      ...(await detent.runs.forkPreview(runId, options as { at: number }, caller.tenantId)),
    }),
  }),
  method({
    name: 'run.fork',
    scope: 'write',
    summary: 'A copy of the run as it stood after a transition, in a session of its own.',
    input: z.strictObject({
      runId,
      at: seq.describe('The last transition that the fork keeps; 0 keeps only the prompt.'),
      editMessage: editMessage.optional(),
      model: z.string().max(200).optional().describe('Needs the scope `admin`.'),
      approve,
      resume: z.boolean().default(false).describe('Whether the fork goes on at once.'),
    }),
    output: view({ runId: z.string(), sessionId: z.string() }, 'Forked'),
    http: { verb: 'post', path: '/runs/{runId}/forks', status: 201 },
    keyed: 'refused',
    alsoNeeds: ({ model, approve }) => [
      ...(approve === 'all' ? (['approve'] as const) : []),
      ...(model === undefined ? [] : (['admin'] as const)),
    ],
    async perform(call, { runId, resume, ...options }) {
      const { detent, caller } = call;
      call.refuseNewRuns();
      const mayAdminister = caller.scopes.includes('admin');
      const asked = { ...options, ...byOf(call), mayAdminister } as ForkOptions;
      const fork = () => detent.runs.fork(runId, asked, caller.tenantId);
      if (!resume) return { ...(await fork()) };
      return goingOn(call, async () => {
        const forked = await fork();
        await detent.runs.resume({ runId: forked.runId }, caller.tenantId);
        return { answer: { ...forked }, runs: [forked.runId] };
      });
    },
  }),
  method({
    name: 'run.resume',
    scope: 'write',
    summary: 'Goes on with the unfinished runs of the run’s session.',
    input: z.strictObject({ runId }),
    output: z.strictObject({ runs: z.array(z.string()) }),
    http: { verb: 'post', path: '/runs/{runId}/resume', status: 202 },
    keyed: 'repeated',
    perform: (call, { runId }) =>
      goingOn(call, async () => {
        const runs = await call.detent.runs.resume({ runId }, call.caller.tenantId);
        return { answer: { runs }, runs };
      }),
  }),
];

/** Sets runs of one session going, of which one at a time is at work: they have one place. */
async function goingOn<T>(
  { detent, caller, takeRun }: Call,
  resume: () => Promise<{ answer: T; runs: readonly string[] }>,
): Promise<T> {
  const place = takeRun();
  try {
    const { answer, runs } = await resume();
    const [first] = runs;
    if (first === undefined) place.release();
    else place.keep(first, detent.runs.attach(first, caller.tenantId).result);
    return answer;
  } catch (error) {
    place.release();
    throw error;
  }
}

/** Only the runs that exist for the caller are candidates. */
async function findOf(detent: Detent, caller: Caller, word: string): Promise<string> {
  if (!isBound(caller)) return detent.runs.find(word, caller.tenantId);
  const own = await detent.runs.list({ ...ofCaller(caller), limit: 1_000 });
  const isMeant = ({ runId, parentRunId }: RunSummary) =>
    word === 'last' ? parentRunId === undefined : runId.startsWith(word);
  const found = own.filter(isMeant).map(({ runId }) => runId);
  const meant = word === 'last' || found.includes(word) ? [word === 'last' ? found[0] : word] : found;
  const [runId, ...others] = meant;
  if (runId === undefined) throw new DetentError('NOT_FOUND', `no run ${JSON.stringify(word)}`);
  if (others.length > 0)
    throw new DetentError(
      'AMBIGUOUS_RUN',
      `several runs begin with "${word}": ${found.slice(0, 5).join(', ')}`,
    );
  return runId;
}
