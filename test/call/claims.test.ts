import { describe, expect, it } from 'vitest';
import { createDetent, type RunRequest } from '../../src/index.ts';
import { fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { served } from '../gateway/support.ts';
import { scripted, temporaryWorkspace, tool } from '../support/detent.ts';

const pay = { name: 'pay', parameters: { type: 'object' } };
const calls = { toolCalls: [{ name: 'pay', arguments: { amount: 1 } }] };
const script = [calls, { text: 'Paid.' }];
const held = expect.any(Number);

/** A run of a user whose phone and tablet are connected, and that asks for a call of the app. */
async function twoDevices() {
  const gateway = await served([...script, ...script]);
  const token = await gateway.token({ scopes: ['talk'], userId: 'ann' });
  const [phone, tablet] = [await gateway.connect(token), await gateway.connect(token)];
  const { runId } = await phone.ask('agent.run', { prompt: 'pay', clientTools: [pay] });
  await phone.ask('agent.wait', { runId });
  return { ...gateway, phone, tablet, at: { runId, callId: 'c2' } };
}

/** A run that waits for a call of its caller. */
async function waiting(request: RunRequest = {}) {
  const clock = fakeClock();
  const { detent } = await scripted(script, { clock, tools: { define: [tool('buy', { confirm: true })] } });
  const run = detent.run('pay', { clientTools: [pay], ...request });
  await run.result;
  return {
    clock,
    detent,
    run,
    claim: (installation: string, holdMs = 60_000) =>
      detent.runs.claim(run.runId, 'c2', { installation, holdMs }),
  };
}

describe('a call of the app that one device has claimed', () => {
  it('is performed by no other device of its user, and says to all that it is held, but not by which', async () => {
    const { phone, tablet, at } = await twoDevices();
    const { heldUntil } = await phone.ask('client.claim', { ...at, installation: 'phone' });
    expect(heldUntil).toEqual(held);
    const claimed = { code: 'CALL_CLAIMED', retryable: true, details: { callId: 'c2', until: heldUntil } };
    expect(await tablet.refused('client.claim', { ...at, installation: 'tablet' })).toMatchObject(claimed);
    for (const result of [{ result: 'twice' }, { result: 'twice', installation: 'tablet' }, { reason: 'no' }])
      expect(await tablet.refused('client.result', { ...at, ...result })).toMatchObject(claimed);
    const { pending } = await tablet.ask('run.get', { runId: at.runId });
    expect(pending).toMatchObject([{ kind: 'client', heldUntil }]);
    expect(JSON.stringify(pending)).not.toContain('phone');
    expect(await phone.ask('client.result', { ...at, installation: 'phone', result: 'paid' })).toMatchObject({
      applied: true,
    });
    expect(await phone.ask('agent.wait', { runId: at.runId })).toMatchObject({ text: 'Paid.' });
    expect(await phone.ask('client.result', { ...at, installation: 'phone', result: 'paid' })).toMatchObject({
      applied: false,
      stands: true,
    });
    expect(await tablet.refused('client.claim', { ...at, installation: 'tablet' })).toMatchObject({
      code: 'NOT_WAITING',
    });
  });

  it('tells the other devices of its user at once that it is held, and that it is free again', async () => {
    const { phone, tablet, at } = await twoDevices();
    await tablet.ask('run.subscribe', { runId: at.runId });
    await tablet.saw(({ event }) => event === 'tool.client_request');
    const { heldUntil } = await phone.ask('client.claim', { ...at, installation: 'phone' });
    await tablet.saw(({ event }) => event === 'tool.client_claimed');
    await phone.ask('client.release', { ...at, installation: 'tablet' });
    await phone.ask('client.release', { ...at, installation: 'phone' });
    await tablet.saw(
      ({ event, payload }) =>
        event === 'tool.client_claimed' && (payload as { heldUntil: unknown }).heldUntil === null,
    );
    const told = tablet.events.filter(({ event }) => event === 'tool.client_claimed');
    expect(told.map(({ payload }) => payload)).toEqual([
      { callId: at.callId, heldUntil },
      { callId: at.callId, heldUntil: null },
    ]);
    expect(JSON.stringify(told)).not.toContain('phone');
  });

  it('is claimed by one of twenty that try at once', async () => {
    const { phone, tablet, at } = await twoDevices();
    const tries = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? phone : tablet).request('client.claim', { ...at, installation: `app ${i}` }),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('is free again once it is released, or its time is over; a claim of the same device begins anew', async () => {
    const { clock, detent, run, claim } = await waiting();
    const first = await claim('phone');
    await clock.advance(30_000);
    expect(await claim('phone')).toBe(first + 30_000);
    await expect(claim('tablet')).rejects.toMatchObject({ code: 'CALL_CLAIMED' });
    expect(await detent.runs.release(run.runId, 'c2', 'tablet')).toBe(false);
    expect(await detent.runs.release(run.runId, 'c2', 'phone')).toBe(true);
    expect((await detent.runs.show(run.runId)).pending[0]).not.toHaveProperty('heldUntil');
    await claim('tablet', 10_000);
    await clock.advance(10_000);
    expect(await claim('phone')).toEqual(held);
    await clock.advance(60_000);
    await run.confirm('c2', { verdict: 'result', result: 'paid, late', installation: 'tablet' });
    expect(await run.result).toMatchObject({ status: 'done' });
  });

  it('is closed by who may approve, and by no other client', async () => {
    const { run, claim } = await waiting();
    await claim('phone');
    const closing = { verdict: 'reject', mayApprove: false } as const;
    await expect(run.confirm('c2', closing)).rejects.toMatchObject({ code: 'CALL_CLAIMED' });
    expect(await run.confirm('c2', { verdict: 'reject' })).toMatchObject({ applied: true });
  });

  it('is held over a restart, and by what another process says of it', async () => {
    const workspace = await temporaryWorkspace();
    const open = () =>
      createDetent({ workspace, env: {}, model: 'test/a', models: { test: scriptedModel([...script]) } });
    const first = open();
    const run = first.run('pay', { clientTools: [pay] });
    await run.result;
    const other = open();
    const tries = [first, other, first, other].map((detent, i) =>
      detent.runs.claim(run.runId, 'c2', { installation: `app ${i}` }).then(
        () => i,
        () => null,
      ),
    );
    const [holder, ...more] = (await Promise.all(tries)).filter((won) => won !== null);
    expect(more).toEqual([]);
    await first.close();
    await other.close();
    const later = open();
    const given = (installation: string) =>
      later.runs.confirm(run.runId, 'c2', { verdict: 'result', result: 'paid', installation });
    await expect(given('somebody')).rejects.toMatchObject({ code: 'CALL_CLAIMED' });
    expect(await given(`app ${holder}`)).toMatchObject({ applied: true });
    await later.close();
  });

  it('is one that the caller of a run performs, that is there, and that waits', async () => {
    const { detent, run } = await waiting();
    const refusals = [
      ['c2', { installation: '' }, 'INVALID_ARGUMENTS'],
      ['c2', { installation: 7 }, 'INVALID_ARGUMENTS'],
      ['c2', { installation: 'a\n' }, 'INVALID_ARGUMENTS'],
      ['c2', { installation: 'a', holdMs: 0 }, 'INVALID_ARGUMENTS'],
      ['c2', { installation: 'a', holdMs: 1e300 }, 'INVALID_ARGUMENTS'],
      ['c9', { installation: 'a' }, 'NOT_FOUND'],
    ] as const;
    for (const [call, claim, code] of refusals)
      await expect(
        detent.runs.claim(run.runId, call, claim as { installation: string }),
      ).rejects.toMatchObject({ code });
    await expect(detent.runs.claim(run.runId, 'c2', { installation: 'a' }, 2)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await run.cancel();
    await expect(detent.runs.claim(run.runId, 'c2', { installation: 'a' })).rejects.toMatchObject({
      code: 'NOT_WAITING',
    });
    const { detent: shop } = await scripted([{ toolCalls: [{ name: 'buy', arguments: {} }] }], {
      tools: { define: [tool('buy', { confirm: true })] },
    });
    const { runId } = await shop.run('buy').result;
    await expect(shop.runs.claim(runId, 'c2', { installation: 'a' })).rejects.toMatchObject({
      code: 'WRONG_VERDICT',
    });
  });
});
