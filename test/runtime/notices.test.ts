import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createDetent, type DetentOptions, type Notice } from '../../src/index.ts';
import { type FakeClock, fakeClock, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { served } from '../gateway/support.ts';
import { answering, receiver } from '../schedule/deliver/support.ts';
import { itDeep } from '../support/deep.ts';
import { gate, scripted, temporaryWorkspace, tool } from '../support/detent.ts';

const buy: ScriptLine = { toolCalls: [{ name: 'buy', arguments: { what: 'Xanadu' } }] };
const asks: ScriptLine = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Xanadu?' } }] };
const scans: ScriptLine = { toolCalls: [{ name: 'scan', arguments: {} }] };
const tools = { define: [tool('buy', { sideEffect: 'unsafe', confirm: 'staff' })] };
const scan = { name: 'scan', parameters: { type: 'object' } };
const ann = { principal: { userId: 'ann' } };

/** Keeps what it is told. The first `failing` times it throws. */
function told(failing = 0) {
  const notices: Notice[] = [];
  let tries = 0;
  const notify = (notice: Notice) => {
    if (tries++ < failing) throw new Error('not now');
    notices.push(notice);
  };
  return { notices, notify, tries: () => tries };
}

/** Lets time go by at each look: a sender that failed may not have set its next time yet. */
function later<T>(clock: FakeClock, ms: number, look: () => T) {
  return async () => {
    await clock.advance(ms);
    return look();
  };
}

describe('a host that is told', () => {
  it('hears that a run waits for a person, for the app, and that it has ended; none of what was said', async () => {
    const { notices, notify } = told();
    const { detent } = await scripted([buy, scans, { text: 'Xanadu it is.' }], { notify, tools });
    const run = detent.run('Xanadu', { sessionId: 's', clientTools: [scan], ...ann });
    const { runId } = await run.result;
    const about = {
      tenantId: 1,
      userId: 'ann',
      sessionId: 's',
      runId,
      agent: 'default',
      at: expect.any(Number),
    };
    await expect
      .poll(() => notices)
      .toEqual([
        {
          ...{ ...about, id: `msg_${runId}.c2.1`, type: 'run.waiting' },
          ...{ callId: 'c2', kind: 'confirm', tool: 'buy', decides: 'staff' },
        },
      ]);
    await detent.runs.confirm(runId, 'c2', { verdict: 'approve', by: 'boss' });
    await run.result;
    await expect.poll(() => notices).toHaveLength(2);
    const call = { ...about, type: 'run.client_call', callId: 'c4', kind: 'client', tool: 'scan' };
    expect(notices[1]).toEqual({ ...call, id: `msg_${runId}.c4.1` });
    await run.confirm('c4', { verdict: 'result', result: 'Xanadu' });
    await run.result;
    await expect.poll(() => notices).toHaveLength(3);
    expect(notices[2]).toEqual({ ...about, id: `msg_${runId}.end`, type: 'run.ended', outcome: 'completed' });
    expect(JSON.stringify(notices)).not.toContain('Xanadu');
  });

  it('is told of the user whom a guest has become meanwhile', async () => {
    const { notices, notify, tries } = told(1);
    const clock = fakeClock();
    const { detent } = await scripted([asks], { notify, clock });
    await detent.run('one', { sessionId: 'a', principal: { userId: 'guest:7' } }).result;
    await expect.poll(tries).toBe(1);
    await detent.users.claim({ from: 'guest:7', to: 'ann' });
    const again = later(clock, 5_000, () => notices);
    await expect.poll(again).toMatchObject([{ type: 'run.waiting', userId: 'ann' }]);
  });

  itDeep(
    'is told again, under the same id, until it takes the notice; and of no question that was decided meanwhile',
    async () => {
      const { notices, notify, tries } = told(2);
      const clock = fakeClock();
      const { detent } = await scripted([asks, { text: 'ok' }, asks, { text: 'ok' }], { notify, clock });
      await detent.run('one', { sessionId: 'a' }).result;
      await expect.poll(tries).toBe(1);
      await expect.poll(later(clock, 5_000, tries)).toBe(2);
      const once = later(clock, 300_000, () => notices);
      await expect.poll(once).toMatchObject([{ type: 'run.waiting', kind: 'question' }]);
      const late = told(1);
      const other = await scripted([asks, { text: 'ok' }], { notify: late.notify, clock });
      const { runId } = await other.detent.run('two').result;
      await expect.poll(late.tries).toBe(1);
      await other.detent.runs.confirm(runId, 'c2', { verdict: 'answer', answer: 'x' });
      await other.detent.runs.attach(runId).result;
      await expect.poll(later(clock, 400_000, () => late.notices)).toMatchObject([{ type: 'run.ended' }]);
    },
  );

  it('is told of the question of a sub-run, but not of its end, nor of the end of a call, a compaction and a slot of a job', async () => {
    const { notices, notify } = told();
    const task: ScriptLine = { toolCalls: [{ name: 'task', arguments: { prompt: 'sub' } }] };
    const { detent } = await scripted([task, buy, { text: 'sub done' }, { text: 'done' }], { notify, tools });
    const run = detent.run('go');
    const { runId } = await run.result;
    await expect.poll(() => notices).toMatchObject([{ type: 'run.waiting', runId: `${runId}.c2` }]);
    await detent.runs.confirm(`${runId}.c2`, 'c2', { verdict: 'approve', by: 'boss' });
    await run.result;
    await detent.tools.call('datetime', {}).result;
    await expect.poll(() => notices.map(({ type }) => type)).toEqual(['run.waiting', 'run.ended']);
  });

  it('is not told of the end of a run that a connection watched', async () => {
    const { notices, notify } = told();
    const gateway = await served([{ text: 'one' }, { text: 'two' }], { notify });
    const client = await gateway.connect();
    const { runId } = await client.ask('agent.run', { prompt: 'watched', subscribe: true });
    await client.saw(({ event }) => event === 'lifecycle.end');
    const second = await gateway.http('/api/v1/runs', { method: 'POST', body: { prompt: 'left alone' } });
    await expect.poll(() => notices.map((notice) => notice.runId)).toEqual([second.body.runId]);
    expect(runId).not.toBe(second.body.runId);
  });

  it('is not told of the end of a run that a client waited for; of one that it only asked about it is', async () => {
    const { notices, notify } = told();
    const waits = gate();
    const look = tool('look', { run: async (_, { signal }) => waits.pass(signal).then(() => 'seen') });
    const calls: ScriptLine = { toolCalls: [{ name: 'look', arguments: {} }] };
    const gateway = await served([calls, { text: 'one' }, { text: 'two' }], {
      notify,
      tools: { define: [look] },
    });
    const { body } = await gateway.http('/api/v1/runs', { method: 'POST', body: { prompt: 'waited for' } });
    await waits.reached;
    const waiting = gateway.http(`/api/v1/runs/${body.runId}/wait`);
    const early = await gateway.http(`/api/v1/runs/${body.runId}/wait?timeoutMs=1`);
    expect(early.body.isSettled).toBe(false);
    waits.open();
    expect((await waiting).body.status).toBe('done');
    const second = await gateway.http('/api/v1/runs', { method: 'POST', body: { prompt: 'left alone' } });
    await expect.poll(() => notices.map((notice) => notice.runId)).toEqual([second.body.runId]);
  });

  it('is told that a person of the staff spoke to the user', async () => {
    const { notices, notify } = told();
    const gateway = await served([{ text: 'hello' }], { notify });
    const ann = await gateway.connect(await gateway.token({ userId: 'ann', scopes: ['talk'] }));
    const bob = await gateway.connect(
      await gateway.token({ userId: 'bob', sees: 'tenant', scopes: ['read', 'approve'] }),
    );
    const { runId } = await ann.ask('agent.run', { prompt: 'hi', sessionId: 'main' });
    await ann.ask('agent.wait', { runId });
    await bob.ask('session.takeover', { sessionId: 'ann:main' });
    await bob.ask('session.say', { sessionId: 'ann:main', content: 'Xanadu' });
    await expect
      .poll(() => notices.at(-1))
      .toMatchObject({ type: 'session.said', userId: 'ann', sessionId: 'ann:main' });
    await bob.ask('session.giveBack', { sessionId: 'ann:main' });
    expect(notices.map(({ type }) => type)).toEqual(['session.said']);
    expect(JSON.stringify(notices)).not.toMatch(/Xanadu|bob/);
  });

  it('finds the notices of all tenants in one list, or those of one', async () => {
    const { notices, notify } = told();
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }], { notify });
    const acme = (await detent.tenants.create({ name: 'acme' })).id;
    await detent.run('of tenant 1').result;
    await detent.run('of acme', { principal: { tenantId: acme } }).result;
    await expect.poll(() => notices).toHaveLength(2);
    const tenants = async (filter?: { tenantId: number }) =>
      (await detent.runs.notices(filter)).map(({ notice }) => notice.tenantId).sort();
    expect(await tenants()).toEqual([1, acme]);
    expect(await tenants({ tenantId: acme })).toEqual([acme]);
    const misspelt: object = { tenant: acme };
    await expect(detent.runs.notices(misspelt)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('is told by the next process of what the last one left, and of nothing from before it wanted to be told', async () => {
    const workspace = await temporaryWorkspace();
    const open = (options: DetentOptions = {}) =>
      createDetent({
        ...{ workspace, env: {}, model: 'test/a', models: { test: scriptedModel([asks, asks, asks]) } },
        ...options,
      });
    const first = open();
    await first.run('before').result;
    await first.close();
    const failing = told(100);
    const second = open({ notify: failing.notify });
    const { runId } = await second.run('then', { sessionId: 'then' }).result;
    await expect.poll(failing.tries).toBe(1);
    await second.close();
    const clock = fakeClock(Date.now() + 60_000);
    const { notices, notify } = told();
    const third = open({ notify, clock });
    await third.runs.resume();
    await expect.poll(() => notices).toMatchObject([{ id: `msg_${runId}.c2.1` }]);
    await third.close();
  });
});

describe('a webhook that is told', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

  it('gets what it asked for, signed by Standard Webhooks', async () => {
    const { received, url } = await receiver(answering(204));
    const { detent } = await scripted([asks, { text: 'Good day.' }], {
      env: { NOTICES: secret },
      webhooks: { allowHosts: ['127.0.0.1'] },
      notify: { url, secretEnv: 'NOTICES', events: ['run.ended'], words: true },
    });
    const run = detent.run('hello', { sessionId: 's' });
    const { runId } = await run.result;
    await run.confirm('c2', { verdict: 'answer', answer: 'yes' });
    await run.result;
    await expect.poll(() => received).toHaveLength(1);
    const [{ headers, body } = {} as never] = received;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({
      type: 'run.ended',
      timestamp: expect.any(String),
      data: {
        ...{ tenantId: 1, userId: null, sessionId: 's', runId, agent: 'default' },
        ...{ outcome: 'completed', text: 'Good day.' },
      },
    });
    expect(headers['webhook-id']).toBe(`msg_${runId}.end`);
  });

  it('is given up when no repeat would help, with a word to the operator', async () => {
    const { received, url } = await receiver(answering(410));
    const reports: unknown[] = [];
    const { detent } = await scripted([{ text: 'Good day.' }], {
      webhooks: { allowHosts: ['127.0.0.1'] },
      notify: { url },
      onError: (error) => void reports.push(error),
    });
    await detent.run('hello').result;
    await expect.poll(() => reports).toMatchObject([{ code: 'NOTICE_DEAD' }]);
    expect(received).toHaveLength(1);
  });

  it.each([
    ['notify.url: ', { url: 'notaurl' }],
    ['"webhooks.allowHosts"', { url: 'http://127.0.0.1:9/notices' }],
    ['notify.secretEnv: the variable NOTICES', { url: 'https://a.example', secretEnv: 'NOTICES' }],
    ['notify.secretEnv: the variable SHORT', { url: 'https://a.example', secretEnv: 'SHORT' }],
  ])('is refused when the Detent opens, with %s', async (words, notify) => {
    const workspace = await temporaryWorkspace();
    const detent = createDetent({ workspace, env: { SHORT: 'whsec_dG9v' }, notify });
    await expect(detent.open()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(words),
    });
    await expect(detent.run('hi').result).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await detent.close();
  });

  it('is told later when its set-up was wrong, once that was mended', async () => {
    const { received, url } = await receiver(answering(204));
    const clock = fakeClock();
    const env: Record<string, string> = { NOTICES: secret };
    const webhooks = { allowHosts: ['127.0.0.1'] };
    const { detent } = await scripted([{ text: 'a' }], {
      ...{ env, clock, webhooks, notify: { url, secretEnv: 'NOTICES' } },
    });
    await detent.runs.resume();
    delete env.NOTICES;
    await detent.run('hello').result;
    const failed = async () =>
      (await detent.runs.notices()).map(({ status, error }) => [status, error?.code]);
    await expect.poll(failed).toEqual([['pending', 'WEBHOOK_SECRET_MISSING']]);
    env.NOTICES = secret;
    await expect.poll(later(clock, 5_000, () => received)).toHaveLength(1);
  });

  it.each([
    [{ url: 1 }, 'notify'],
    [{ url: 'https://a.example', events: ['all'] }, 'notify'],
    [{ url: 'https://a.example', secret: 'x' }, 'notify'],
    ['https://a.example', 'notify'],
  ])('is an address and what it wants: not %o', async (notify, field) => {
    const { detent } = await scripted([], { notify: notify as never });
    await expect(detent.open()).rejects.toThrow(field);
  });
});
