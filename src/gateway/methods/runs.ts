import type { Detent, Forked, ForkOptions, RunSummary } from '../../index.ts';
import type { Caller } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import type { runMethods as declared } from '../../protocol/methods.ts';
import { Listed } from '../documents/listed.ts';
import { isBound, ofCaller } from '../feeds/sight.ts';
import { approvesAll, byOf, type Call, givenOf, needOf, type Performers, requestOf } from './method.ts';
import { viewOf } from './run-views.ts';

export const runPerformers = {
  'run.get': (call, { runId }) => viewOf(call, runId),
  'run.list': async ({ detent, caller }, filter) => ({
    runs: await detent.runs.list({ ...filter, ...ofCaller(caller) }),
  }),
  'feed.list': ({ feed, caller, waiting }, { after, waitMs }) =>
    waiting((signal) => feed.next(ofCaller(caller), { after, waitMs, signal })),
  async 'feed.subscribe'({ detent, caller, watching }, { after }) {
    const cursor = after ?? (await detent.runs.feed(ofCaller(caller))).cursor;
    watching?.watchFeed(cursor);
    return { cursor };
  },
  'feed.unsubscribe': async ({ watching }) => ({ subscribed: watching?.unwatchFeed() ?? false }),
  'run.counts': async ({ detent, caller }, { since }) => ({
    counts: await detent.runs.counts({ ...(since !== undefined && { since }), ...ofCaller(caller) }),
  }),
  'run.find': async ({ detent, caller }, { word }) => ({ runId: await findOf(detent, caller, word) }),
  'run.events': async ({ detent, caller }, { runId, afterSeq }) =>
    Listed.of('events', detent.runs.readTimeline(runId, afterSeq, caller.tenantId), ({ seq, last }) =>
      last ? seq : null,
    ),
  'run.log': async ({ detent, caller }, { runId, afterSeq }) =>
    Listed.of('transitions', detent.runs.readEvents(runId, afterSeq, caller.tenantId), ({ seq }) => seq),
  'run.trace': async ({ detent, caller }, { runId, ...place }) =>
    detent.runs.trace(runId, place, caller.tenantId),
  'run.why': async ({ detent, caller }, { runId }) => detent.runs.why(runId, caller.tenantId),
  async 'run.context'({ detent, caller }, { runId }) {
    const context = await detent.runs.contextUse(runId, caller.tenantId);
    return { context: context && { ...context } };
  },
  'run.diff': async ({ detent, caller }, { runId, otherRunId }) =>
    detent.runs.diff(runId, otherRunId, caller.tenantId),
  'run.prompt': async ({ detent, caller }, { runId, ...place }) => ({
    ...(await detent.runs.prompt(runId, place, caller.tenantId)),
  }),
  async 'run.at'({ detent, caller }, { runId, seq, messages }) {
    const moment = await detent.runs.at(runId, seq, caller.tenantId);
    if (messages === 'all') return { ...moment };
    // What a run was begun with is there before its first transition.
    const wrote = moment.messages.filter(
      (message) => message.runId === runId && Math.max(1, message.seq) === seq,
    );
    return { ...moment, messages: wrote };
  },
  'run.forkPreview': async ({ detent, caller }, { runId, ...options }) =>
    detent.runs.forkPreview(runId, options as { at: number }, caller.tenantId),
  'run.fork': {
    alsoNeeds: (input) => [...approvesAll(input), ...needOf('admin', givenOf(input, ['model']))],
    async perform(call, { runId, resume, idempotencyKey: _, ...options }) {
      const { detent, caller } = call;
      call.refuseNewRuns();
      const mayAdminister = caller.scopes.includes('admin');
      const asked = { ...options, ...byOf(call), ...requestOf(call), mayAdminister } as ForkOptions;
      const fork = () => detent.runs.fork(runId, asked, caller.tenantId);
      return resume ? resumed(call, fork) : { ...(await fork()) };
    },
    async answerOf(call, effect, { resume }) {
      // Loaded here alone, since the command line loads no schemas.
      const { runMethods } = await import('../../protocol/methods.ts');
      const forked = runMethods['run.fork'].output.parse(effect);
      return resume ? resumed(call, async () => forked) : forked;
    },
  },
  'run.resume': (call, { runId }) =>
    goingOn(call, async () => {
      const runs = await call.detent.runs.resume({ runId }, call.caller.tenantId);
      return { answer: { runs }, runs };
    }),
} satisfies Performers<typeof declared>;

function resumed(call: Call, fork: () => Promise<Forked>) {
  return goingOn(call, async () => {
    const forked = await fork();
    await call.detent.runs.resume({ runId: forked.runId }, call.caller.tenantId);
    return { answer: { ...forked }, runs: [forked.runId] };
  });
}

/** Continues the runs of one session. They share one place, since only one of them works at a time. */
async function goingOn<T>(
  { detent, caller, runs }: Call,
  resume: () => Promise<{ answer: T; runs: readonly string[] }>,
): Promise<T> {
  const place = runs.take();
  try {
    const resumed = await resume();
    const [first] = resumed.runs;
    if (first === undefined) place.release();
    else place.keep(first, detent.runs.attach(first, caller.tenantId).result);
    return resumed.answer;
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
  if (runId === undefined)
    throw new DetentError('NOT_FOUND', `no run ${JSON.stringify(word)}`, { details: { runId: word } });
  if (others.length > 0)
    throw new DetentError(
      'AMBIGUOUS_RUN',
      `several runs begin with "${word}": ${found.slice(0, 5).join(', ')}`,
      { details: { word, runIds: found.slice(0, 5) } },
    );
  return runId;
}
