import { createGateway } from '../../../src/gateway/gateway.ts';
import { type Detent, defineTool } from '../../../src/index.ts';
import type { Decorators } from '../../../src/runtime/compose.ts';
import { assemble } from '../../../src/runtime/create-detent.ts';
import { jobsOf } from '../../../src/schedule/door.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

/** A request that changes something, and what is so when it was done once. */
interface Scene {
  verb: 'POST' | 'PATCH' | 'DELETE';
  /** What must be there. Returns the path of the request, and its body. */
  prepare(detent: Detent): Promise<{ path: string; body?: object }>;
  /** What its answer says, or part of it. */
  answer: object;
  /** What there is after it. */
  left(detent: Detent): Promise<unknown>;
  /** That once. */
  once: unknown;
}

export function open(workspace: string, decorate: Decorators = {}): Detent {
  const run = () => 'paid';
  const pay = { name: 'pay', description: 'Pays.', jsonSchema: { type: 'object' }, run } as const;
  const test = scriptedModel([
    { toolCalls: [{ name: 'pay', arguments: {} }] },
    ...Array.from({ length: 9 }, () => ({ text: 'done' })),
  ]);
  const tools = { define: [defineTool({ ...pay, sideEffect: 'unsafe' })] };
  return assemble({ workspace, env: {}, model: 'test/m', models: { test }, tools }, decorate);
}

/** One request of a client with its key, as a gateway answers it. */
export async function ask(
  detent: Detent,
  { verb, path, body, token }: { verb: string; path: string; body?: object; token: string },
): Promise<{ status: number; body: unknown }> {
  const response = await createGateway(detent).handler(
    new Request(`http://127.0.0.1/api/v1${path}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'k1',
      },
      body: JSON.stringify(body ?? {}),
    }),
  );
  return { status: response.status, body: await response.json() };
}

/** How often the session got the message. */
async function heard(detent: Detent) {
  const { conversation } = await detent.sessions.show('s');
  return conversation.filter((message) => JSON.stringify(message).includes('wait')).length;
}

const sessions = async (detent: Detent) => (await detent.sessions.list()).length;

/** A run that waits for a decision on its call. */
async function asking(detent: Detent) {
  const { runId, pending } = await detent.run('pay', { sessionId: 's' }).result;
  return { runId, callId: pending[0]?.callId ?? '' };
}

async function paid(detent: Detent) {
  const { runId, callId } = await asking(detent);
  await detent.runs.confirm(runId, callId, { verdict: 'approve', grant: {} });
  await detent.runs.attach(runId).result;
  return runId;
}

async function takenOver(detent: Detent) {
  await paid(detent);
  await detent.sessions.takeOver('s', { by: 'boss' });
}

async function withJob(detent: Detent) {
  await createScheduler(detent).add({ jobId: 'a', every: '1h', prompt: 'go' });
}

/** How often the job `a` took a command. */
const taken = (type: string) => async (detent: Detent) => {
  const { jobRunId } = await createScheduler(detent).get('a');
  return (await detent.runs.events(jobRunId)).filter(({ event }) => event.type === type).length;
};

const jobCommand = (verb: Scene['verb'], path: string, type: string, body: object = {}): Scene => ({
  verb,
  async prepare(detent) {
    await withJob(detent);
    if (type === 'job.resume') await createScheduler(detent).pause('a');
    if (type === 'job.enable') await createScheduler(detent).disable('a');
    return { path, body };
  },
  answer: { jobId: 'a' },
  left: taken(type),
  once: 1,
});

export const scenes: Readonly<Record<string, Scene>> = {
  // A message to a run at work: one that starts a run has its key in the row of that.
  'agent.run': {
    verb: 'POST',
    async prepare(detent) {
      await asking(detent);
      return { path: '/runs', body: { prompt: 'wait', sessionId: 's', mode: 'steer' } };
    },
    answer: { sessionId: 's' },
    left: heard,
    once: 1,
  },
  'agent.steer': {
    verb: 'POST',
    async prepare(detent) {
      const { runId } = await asking(detent);
      return { path: `/runs/${runId}/messages`, body: { message: 'wait' } };
    },
    answer: {},
    left: heard,
    once: 1,
  },
  'tool.confirm': {
    verb: 'POST',
    async prepare(detent) {
      const { runId, callId } = await asking(detent);
      return { path: `/runs/${runId}/confirmations/${callId}`, body: { verdict: 'reject' } };
    },
    answer: { applied: true, verdict: 'reject', stands: true },
    async left(detent) {
      const [run] = await detent.runs.list();
      const log = await detent.runs.events(run?.runId ?? '');
      return log.filter(({ event }) => event.type === 'confirm.decide').length;
    },
    once: 1,
  },
  'session.create': {
    verb: 'POST',
    prepare: async () => ({ path: '/sessions' }),
    answer: {},
    left: sessions,
    once: 1,
  },
  'session.update': {
    verb: 'PATCH',
    async prepare(detent) {
      await paid(detent);
      return { path: '/sessions/s', body: { title: 'Bills', pinned: true } };
    },
    answer: { title: 'Bills', pinned: true },
    left: async (detent) => (await detent.sessions.show('s')).title,
    once: 'Bills',
  },
  'session.clear': {
    verb: 'POST',
    prepare: after(paid, '/sessions/s/clear'),
    answer: { cleared: 4 },
    left: async (detent) => (await detent.sessions.clear('s')).cleared,
    once: 0,
  },
  'session.delete': {
    verb: 'DELETE',
    prepare: after(paid, '/sessions/s'),
    answer: { runs: 1, messages: 4 },
    left: sessions,
    once: 0,
  },
  'session.takeover': {
    verb: 'POST',
    prepare: after(paid, '/sessions/s/takeover'),
    answer: {},
    left: async (detent) => (await detent.sessions.show('s')).takenOver?.state,
    once: 'taken',
  },
  'session.say': {
    verb: 'POST',
    async prepare(detent) {
      await takenOver(detent);
      return { path: '/sessions/s/words', body: { content: 'wait' } };
    },
    answer: {},
    left: heard,
    once: 1,
  },
  'session.giveBack': {
    verb: 'DELETE',
    prepare: after(takenOver, '/sessions/s/takeover'),
    answer: { runId: null },
    left: async (detent) => (await detent.sessions.show('s')).takenOver ?? null,
    once: null,
  },
  'session.rate': {
    verb: 'POST',
    prepare: async (detent) => ({
      path: '/sessions/s/ratings',
      body: { runId: await paid(detent), thumb: 'up' },
    }),
    answer: { thumb: 'up' },
    left: async (detent) =>
      (await detent.sessions.show('s')).conversation.flatMap(({ rating }) => rating?.thumb ?? []),
    once: ['up'],
  },
  'session.claim': {
    verb: 'POST',
    async prepare(detent) {
      await detent.run('hello', { principal: { userId: 'guest' } }).result;
      return { path: '/users/claims', body: { from: 'guest', to: 'ann' } };
    },
    answer: { from: 'guest', to: 'ann', sessions: 1, runs: 1 },
    left: async (detent) => (await detent.sessions.list({ userId: 'ann' })).length,
    once: 1,
  },
  'grant.revoke': {
    verb: 'DELETE',
    prepare: after(paid, '/sessions/s/grants/1'),
    answer: { revoked: true },
    left: (detent) => detent.sessions.grants('s'),
    once: [],
  },
  'run.fork': {
    verb: 'POST',
    prepare: async (detent) => ({ path: `/runs/${await paid(detent)}/forks`, body: { at: 1, resume: true } }),
    answer: {},
    async left(detent) {
      const runs = await detent.runs.list();
      const ends = await Promise.all(runs.map(({ runId }) => detent.runs.attach(runId).result));
      return ends.map(({ status }) => status);
    },
    // The fork asks again, because a grant was of the original's session.
    once: ['waiting', 'done'],
  },
  'cron.add': {
    verb: 'POST',
    prepare: async () => ({ path: '/jobs', body: { jobId: 'a', every: '1h', prompt: 'go' } }),
    answer: { jobId: 'a' },
    left: async (detent) => (await (await jobsOf(detent)).list(1, { limit: 9 })).length,
    once: 1,
  },
  'cron.remove': {
    verb: 'DELETE',
    prepare: after(withJob, '/jobs/a'),
    answer: { removed: true },
    left: async (detent) => (await (await jobsOf(detent)).list(1, { limit: 9 })).length,
    once: 0,
  },
  'cron.update': jobCommand('PATCH', '/jobs/a', 'job.update', { prompt: 'stay' }),
  'cron.run': jobCommand('POST', '/jobs/a/run', 'job.run'),
  'cron.pause': jobCommand('POST', '/jobs/a/pause', 'job.pause'),
  'cron.resume': jobCommand('POST', '/jobs/a/resume', 'job.resume'),
  'cron.enable': jobCommand('POST', '/jobs/a/enable', 'job.enable'),
  'cron.disable': jobCommand('POST', '/jobs/a/disable', 'job.disable'),
};

/** A request to that path, once this is done. */
function after(prepare: (detent: Detent) => Promise<unknown>, path: string) {
  return async (detent: Detent) => {
    await prepare(detent);
    return { path };
  };
}
