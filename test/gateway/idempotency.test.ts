import { describe, expect, it, onTestFinished } from 'vitest';
import { httpMethods } from '../../src/gateway/http/routes.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import type { Detent } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { jobsOf } from '../../src/schedule/door.ts';
import { createScheduler } from '../../src/schedule/scheduler.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { revokeTrust, TrustRecords, trustedFolders } from '../../src/trust/agreements.ts';
import { someOf } from '../support/deep.ts';
import { gate, temporaryWorkspace, tool } from '../support/detent.ts';
import { orderWorkflow } from '../support/order-workflow.ts';
import { inSizes } from '../support/size.ts';
import { requestOf } from './inputs.ts';
import { type Served, serve } from './support.ts';

const requests = inSizes({ usual: 2, deep: 8, full: 1_000 });

/** What a method is asked, how to count what it did, and a body that asks for something else. */
interface Case {
  input: Record<string, unknown>;
  other: Record<string, unknown>;
  /** What it did; the same number as after one request, however many came. Null: it can be done once only. */
  effects: (() => Promise<number>) | null;
}

/** Two gateways, each over a Detent of its own, on one database. */
async function twoGateways() {
  const workspace = await temporaryWorkspace();
  const held = gate();
  onTestFinished(held.open);
  const tools = {
    define: [
      tool('pay', { sideEffect: 'unsafe' }),
      tool('hold', { run: (_args, { signal }) => held.pass(signal).then(() => 'ok') }),
      tool('act', {
        sideEffect: 'unsafe',
        run: (_args, { signal }) => held.pass(signal).then(() => 'ok'),
      }),
    ],
  };
  const open = async (...calls: string[]) => {
    const script = [{ toolCalls: calls.map((name) => ({ name, arguments: { question: 'Who?' } })) }];
    const test = scriptedModel([...script, ...Array.from({ length: 50 }, () => ({ text: 'done' }))]);
    const env = { DETENT_HOME: process.env.DETENT_HOME };
    const workflows = [orderWorkflow];
    const options = { workspace, env, model: 'test/m', models: { test }, tools, workflows };
    const detent = createDetent(options);
    onTestFinished(() => detent.close());
    return detent;
  };
  const limits = { requestsPerMinute: 1e9, drainMs: 10 };
  const trust = {
    folders: () => trustedFolders(new TrustRecords(process.env)),
    revoke: (folder: string) => revokeTrust(new TrustRecords(process.env), folder),
  };
  return { open, serve: (detent: Detent) => serve(detent, { limits, trust }), held };
}

type World = Awaited<ReturnType<typeof twoGateways>>;

const countOf = (detent: Detent, runId: string, type: string) => async () =>
  (await detent.runs.events(runId)).filter(({ event }) => event.type === type).length;

const sessionsOf = (detent: Detent) => async () => (await detent.sessions.list({ limit: 1000 })).length;

/** A run that waits for a person about its call. */
async function parked(detent: Detent) {
  const { runId, sessionId, pending } = await detent.run('pay', { sessionId: 'shop' }).result;
  return { runId, sessionId, callId: pending[0]?.callId ?? '' };
}

/** A run whose client performs a call, and how to see whether it is claimed. */
async function called(open: World['open']) {
  const detent = await open('weather');
  const weather = { name: 'weather', description: 'Weather.', parameters: { type: 'object' } };
  const { runId, pending } = await detent.run('go', { clientTools: [weather] }).result;
  const heldUntil = async () => (await detent.runs.show(runId)).pending[0]?.heldUntil;
  return { detent, at: { runId, callId: pending[0]?.callId }, heldUntil };
}

/** A session `s` that a person of the staff has. */
async function takenOver(detent: Detent) {
  await detent.run('go', { sessionId: 's' }).result;
  const { runId } = await detent.sessions.takeOver('s', { by: 'bob' });
  return { detent, runId };
}

/** A run of the workflow `order`, which asks a person. */
async function ordered(detent: Detent) {
  const run = detent.workflows.start(orderWorkflow, { order: 'o1' });
  const { runId, pending } = await run.result;
  return { runId, child: pending[0]?.runId ?? '' };
}

/** A job `a` that no process runs, and how to count its commands. */
async function withJob(detent: Detent) {
  const scheduler = createScheduler(detent);
  const { jobRunId } = await scheduler.add({ jobId: 'a', every: '1h', prompt: 'go' });
  return { detent, scheduler, of: (type: string) => countOf(detent, jobRunId, type) };
}

const cases: Readonly<Record<string, (world: World) => Promise<{ detent: Detent; asked: Case }>>> = {
  async 'agent.run'({ open }) {
    const detent = await open();
    const effects = async () => (await detent.runs.list({ limit: 1000 })).length;
    return { detent, asked: { input: { prompt: 'a' }, other: { prompt: 'b' }, effects } };
  },
  async 'tool.call'({ open }) {
    const detent = await open();
    const effects = async () => (await detent.runs.list({ limit: 1000 })).length;
    const of = (amount: number) => ({ tool: 'pay', input: { amount } });
    return { detent, asked: { input: of(1), other: of(2), effects } };
  },
  async 'agent.cancel'({ open }) {
    const detent = await open('pay');
    const { runId } = await parked(detent);
    const effects = countOf(detent, runId, 'run.cancel');
    return { detent, asked: { input: { runId }, other: { runId, reason: 'other' }, effects } };
  },
  async 'agent.steer'({ open, held }) {
    const detent = await open('hold');
    const { runId } = detent.run('go');
    await held.reached;
    const effects = countOf(detent, runId, 'run.message');
    return { detent, asked: { input: { runId, message: 'a' }, other: { runId, message: 'b' }, effects } };
  },
  async 'tool.confirm'({ open }) {
    const detent = await open('pay');
    const { runId, callId } = await parked(detent);
    const effects = countOf(detent, runId, 'confirm.decide');
    const at = { runId, callId };
    return {
      detent,
      asked: { input: { ...at, verdict: 'approve' }, other: { ...at, verdict: 'reject' }, effects },
    };
  },
  async 'question.answer'({ open }) {
    const detent = await open('ask_user');
    const { runId, callId } = await parked(detent);
    const effects = countOf(detent, runId, 'confirm.decide');
    const at = { runId, callId };
    return { detent, asked: { input: { ...at, answer: 'a' }, other: { ...at, answer: 'b' }, effects } };
  },
  async 'client.result'({ open }) {
    const { detent, at } = await called(open);
    const effects = countOf(detent, at.runId, 'confirm.decide');
    return { detent, asked: { input: { ...at, result: 'a' }, other: { ...at, result: 'b' }, effects } };
  },
  async 'client.claim'({ open }) {
    const { detent, at, heldUntil } = await called(open);
    const effects = async () => Number((await heldUntil()) !== undefined);
    const input = { ...at, installation: 'a' };
    return { detent, asked: { input, other: { ...at, installation: 'b' }, effects } };
  },
  async 'client.release'({ open }) {
    const { detent, at, heldUntil } = await called(open);
    await detent.runs.claim(at.runId, String(at.callId), { installation: 'a' });
    const effects = async () => Number((await heldUntil()) === undefined);
    const input = { ...at, installation: 'a' };
    return { detent, asked: { input, other: { ...at, installation: 'b' }, effects } };
  },
  async 'run.reconcile'({ open, held }) {
    const first = await open('act');
    const { runId } = first.run('go', { approve: 'all' });
    await held.reached;
    await first.close();
    const detent = await open();
    await detent.runs.resume();
    const callId = (await detent.runs.attach(runId).result).pending[0]?.callId;
    const effects = countOf(detent, runId, 'tool.reconcile');
    const at = { runId, callId };
    return {
      detent,
      asked: { input: { ...at, verdict: 'retry' }, other: { ...at, verdict: 'skip' }, effects },
    };
  },
  async 'run.fork'({ open }) {
    const detent = await open('pay');
    const { runId } = await parked(detent);
    const input = { runId, at: 1 };
    return { detent, asked: { input, other: { runId, at: 0 }, effects: sessionsOf(detent) } };
  },
  async 'run.resume'({ open }) {
    const detent = await open('pay');
    const { runId } = await parked(detent);
    const { runId: another } = await detent.run('go').result;
    return { detent, asked: { input: { runId }, other: { runId: another }, effects: null } };
  },
  async 'session.create'({ open }) {
    const detent = await open();
    return { detent, asked: { input: {}, other: { sessionId: 'named' }, effects: sessionsOf(detent) } };
  },
  async 'session.update'({ open }) {
    const detent = await open();
    await detent.run('go', { sessionId: 's' }).result;
    const asked = { input: { sessionId: 's', title: 'a' }, other: { sessionId: 's', title: 'b' } };
    return { detent, asked: { ...asked, effects: null } };
  },
  async 'session.clear'({ open }) {
    const detent = await open();
    await detent.run('go', { sessionId: 's' }).result;
    return {
      detent,
      asked: { input: { sessionId: 's' }, other: { sessionId: 's', force: true }, effects: null },
    };
  },
  async 'session.delete'({ open }) {
    const detent = await open();
    await detent.run('go', { sessionId: 's' }).result;
    return { detent, asked: { input: { sessionId: 's' }, other: { sessionId: 't' }, effects: null } };
  },
  async 'session.takeover'({ open }) {
    const detent = await open();
    await detent.run('go', { sessionId: 's' }).result;
    const effects = async () => (await detent.sessions.show('s')).runs;
    const input = { sessionId: 's' };
    return { detent, asked: { input, other: { ...input, reason: 'r' }, effects } };
  },
  async 'session.say'({ open }) {
    const { detent, runId } = await takenOver(await open());
    const effects = countOf(detent, runId, 'staff.say');
    const of = (content: string) => ({ sessionId: 's', content });
    return { detent, asked: { input: of('a'), other: of('b'), effects } };
  },
  async 'session.giveBack'({ open }) {
    const { detent, runId } = await takenOver(await open());
    const effects = countOf(detent, runId, 'takeover.giveBack');
    return { detent, asked: { input: { sessionId: 's' }, other: { sessionId: 't' }, effects } };
  },
  async 'session.rate'({ open }) {
    const detent = await open();
    const { runId } = await detent.run('go', { sessionId: 's' }).result;
    const of = (thumb: string) => ({ sessionId: 's', runId, thumb });
    return { detent, asked: { input: of('up'), other: of('down'), effects: null } };
  },
  async 'grant.revoke'({ open }) {
    const detent = await open('pay');
    const { runId, sessionId, callId } = await parked(detent);
    await detent.runs.confirm(runId, callId, { verdict: 'approve', grant: {} });
    const grant = (await detent.sessions.grants(sessionId))[0]?.n;
    return { detent, asked: { input: { sessionId, grant }, other: { sessionId, grant: 99 }, effects: null } };
  },
  async 'token.revoke'({ open }) {
    const detent = await open();
    const { id } = await detent.tokens.create({ scopes: ['read'] });
    const effects = async () =>
      (await detent.tokens.list()).filter(({ revokedAt }) => revokedAt !== null).length;
    return { detent, asked: { input: { id }, other: { id: 'other' }, effects } };
  },
  async 'session.claim'({ open }) {
    const detent = await open();
    await detent.run('go', { principal: { userId: 'guest:1' } }).result;
    const input = { from: 'guest:1', to: 'ann' };
    const effects = async () => (await detent.sessions.list({ userId: 'ann' })).length;
    return { detent, asked: { input, other: { ...input, to: 'eve' }, effects } };
  },
  async 'users.forget'({ open }) {
    const detent = await open();
    await detent.run('go', { principal: { userId: 'ann' } }).result;
    const effects = async () => 1 - (await detent.sessions.list({ userId: 'ann' })).length;
    return { detent, asked: { input: { userId: 'ann' }, other: { userId: 'eve' }, effects } };
  },
  async 'trust.revoke'({ open }) {
    const records = new TrustRecords(process.env);
    records.keepFolder({ folder: '/shop', at: '2026-01-01T00:00:00Z', files: {}, texts: {} });
    const effects = async () => (records.folder('/shop') === null ? 1 : 0);
    const input = { kind: 'folder', name: '/shop' };
    return { detent: await open(), asked: { input, other: { ...input, name: '/other' }, effects } };
  },
  async 'workflow.start'({ open }) {
    const detent = await open();
    const effects = async () =>
      (await detent.runs.list({ limit: 1000 })).filter(({ workflow }) => workflow === 'order').length;
    const of = (order: string) => ({ workflow: 'order', input: { order } });
    return { detent, asked: { input: of('o1'), other: of('o2'), effects } };
  },
  async 'workflow.send'({ open }) {
    const detent = await open();
    const { runId } = await ordered(detent);
    const of = (type: string) => ({ runId, event: { type } });
    const effects = countOf(detent, runId, 'order.recalled');
    return { detent, asked: { input: of('order.recalled'), other: of('parcel.sent'), effects } };
  },
  async 'workflow.answer'({ open }) {
    const detent = await open();
    const { runId, child } = await ordered(detent);
    const of = (approved: boolean) => ({ runId, invocation: 'approval', answer: { approved } });
    const effects = countOf(detent, child, 'confirm.decide');
    return { detent, asked: { input: of(true), other: of(false), effects } };
  },
  async 'cron.add'({ open }) {
    const detent = await open();
    const effects = async () => (await (await jobsOf(detent)).list(1, { limit: 1000 })).length;
    const input = { jobId: 'a', every: '1h', prompt: 'go' };
    return { detent, asked: { input, other: { ...input, prompt: 'stay' }, effects } };
  },
  async 'cron.update'({ open }) {
    const { detent, of } = await withJob(await open());
    const asked = { input: { jobId: 'a', prompt: 'b' }, other: { jobId: 'a', prompt: 'c' } };
    return { detent, asked: { ...asked, effects: of('job.update') } };
  },
  async 'cron.enable'({ open }) {
    const { detent, of, scheduler } = await withJob(await open());
    await scheduler.disable('a');
    return { detent, asked: { input: { jobId: 'a' }, other: { jobId: 'b' }, effects: of('job.enable') } };
  },
  async 'cron.disable'({ open }) {
    const { detent, of } = await withJob(await open());
    return { detent, asked: { input: { jobId: 'a' }, other: { jobId: 'b' }, effects: of('job.disable') } };
  },
  async 'cron.pause'({ open }) {
    const { detent, of } = await withJob(await open());
    return { detent, asked: { input: { jobId: 'a' }, other: { jobId: 'b' }, effects: of('job.pause') } };
  },
  async 'cron.resume'({ open }) {
    const { detent, of, scheduler } = await withJob(await open());
    await scheduler.pause('a');
    return { detent, asked: { input: { jobId: 'a' }, other: { jobId: 'b' }, effects: of('job.resume') } };
  },
  async 'cron.remove'({ open }) {
    const { detent } = await withJob(await open());
    return { detent, asked: { input: { jobId: 'a' }, other: { jobId: 'b' }, effects: null } };
  },
  async 'cron.run'({ open }) {
    const { detent, of } = await withJob(await open());
    return { detent, asked: { input: { jobId: 'a' }, other: { jobId: 'b' }, effects: of('job.run') } };
  },
  async 'cron.redeliver'({ open }) {
    const { detent, scheduler } = await withJob(await open());
    await scheduler.run('a');
    return { detent, asked: { input: { jobId: 'a', n: 1 }, other: { jobId: 'a', n: 2 }, effects: null } };
  },
  async 'attachment.put'({ open }) {
    const detent = await open();
    return { detent, asked: { input: { data: 'aGVsbG8=' }, other: { data: 'aGk=' }, effects: null } };
  },
};

const keyed = methods.filter((method) => method.keyed !== undefined);

describe('a request that changes something', () => {
  it('takes a key, and one that only reads takes none', () => {
    const scoped = methods.filter(({ http, scope }) => http?.verb !== 'get' && scope !== 'read');
    expect(keyed.map(({ name }) => name).sort()).toEqual(scoped.map(({ name }) => name).sort());
    expect(
      httpMethods.filter(({ http, keyed: is }) => (http?.verb === 'get') === (is !== undefined)),
    ).toEqual([]);
    expect(Object.keys(cases).sort()).toEqual(keyed.map(({ name }) => name).sort());
  });

  it.each(
    someOf(
      keyed.map((method) => [method.name, method] as const),
      14,
    ),
  )(
    `is performed once when ${requests} with one key come at two gateways at once: %s`,
    async (name, method) => {
      const world = await twoGateways();
      const { detent, asked } = await (cases[name] as (typeof cases)[string])(world);
      const second = await world.open();
      const gateways = [await world.serve(detent), await world.serve(second)] as [Served, Served];
      const before = (await asked.effects?.()) ?? 0;
      const token = await gateways[0].token();
      const ask = async (at: Served, input: Record<string, unknown>, key = 'key 1') => {
        const { path, init } = requestOf(method, input);
        const headers = { 'idempotency-key': key };
        const { status, body } = await at.http(path, { ...init, headers, token });
        return { status, body };
      };
      const answers = await Promise.all(
        Array.from({ length: requests }, (_, i) => ask(gateways[i % 2] as Served, asked.input)),
      );
      const [first] = answers;
      expect(first?.status).toBeLessThan(300);
      expect(answers).toEqual(answers.map(() => first));
      if (asked.effects) expect((await asked.effects()) - before).toBe(1);
      expect(await ask(gateways[0], asked.other)).toMatchObject({
        status: 409,
        body: { code: 'IDEMPOTENCY_CONFLICT' },
      });
      await detent.close();
      await second.close();
      const restarted = await world.serve(await world.open());
      expect(await ask(restarted, asked.input)).toEqual(first);
    },
  );
});

it('does not tell a caller what one with other rights was answered', async () => {
  const world = await twoGateways();
  const { http, token } = await world.serve(await world.open());
  const add = { jobId: 'daily', every: '1h', prompt: 'sum up', limits: { maxSteps: 3 } };
  await http('/api/v1/jobs', { method: 'POST', body: add });
  const change = async (shown: string) =>
    http('/api/v1/jobs/daily', {
      method: 'PATCH',
      body: { prompt: 'sum up more' },
      headers: { 'idempotency-key': 'k1' },
      token: shown,
    });
  expect((await change(await token())).status).toBe(200);
  const writer = await token({ scopes: ['read', 'write'] });
  expect(await change(writer)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  // Another token with the same rights asks for the same again.
  expect((await change(await token())).status).toBe(200);
});
