import { describe, expect, it } from 'vitest';
import { claim, withRefund } from './support.ts';

describe('a refund that waits for a person', () => {
  it('is waiting, for the run of its question, and shows what that asks', async () => {
    const { detent, start } = await withRefund();
    const view = await start().result;
    const { runId } = view;
    const [asked] = view.pending;
    expect(view).toMatchObject({
      status: 'waiting',
      waitsFor: asked?.runId,
      workflow: {
        id: 'refund',
        state: 'approving',
        input: claim,
        services: [{ id: 'approve', run: { runId: asked?.runId, status: 'waiting' } }],
        timers: [{ name: 'after patience' }],
      },
    });
    expect(await detent.runs.list({ sessionId: view.sessionId })).toMatchObject([
      { runId, workflow: 'refund', status: 'waiting', state: 'approving', asks: ['ask'] },
    ]);
    await detent.runs.confirm(String(asked?.runId), String(asked?.callId), { verdict: 'approve' });
    const ended = await detent.runs.attach(runId).result;
    expect(ended).toMatchObject({ status: 'done', outcome: 'done', output: { outcome: 'refunded' } });
  });

  it('says why, with the command that decides', async () => {
    const { detent, start } = await withRefund();
    const { runId, pending } = await start().result;
    const why = await detent.runs.why(runId);
    expect(why).toMatchObject({ status: 'waiting', cause: 'waiting_for_confirmation' });
    expect(why.summary).toContain(`it is waiting for "approve", run ${pending[0]?.runId}, which is waiting`);
    expect(why.details.join('\n')).toContain('after patience: in 7 days');
    // The answer resumes the run.
    expect(why.next).toMatchObject([
      { command: `detent workflow answer ${runId} approve --approve`, step: { does: 'answer', runId } },
    ]);
    expect(why.chain.at(-1)).toMatchObject({ event: 'approve began', to: 'approving' });
  });

  it('has its events in the names of the chart', async () => {
    const { detent, start } = await withRefund();
    const { runId } = await start().result;
    const events = await detent.runs.events(runId);
    expect(events.map(({ label }) => label)).toEqual([
      'run.start',
      'assess began',
      'assess done',
      'approve began',
    ]);
    const timeline = await detent.runs.timeline(runId);
    const states = timeline.filter(({ event }) => event === 'state.changed');
    expect(states).toHaveLength(events.length);
    const came = timeline.flatMap(({ event, payload }) => (event === 'workflow.event' ? [payload] : []));
    expect(came).toMatchObject([{ name: 'assess done', from: 'service' }]);
  });

  it('is traced with a span for each service', async () => {
    const { detent, start } = await withRefund();
    const { runId } = await start().result;
    const { spans, transitions } = await detent.runs.trace(runId);
    expect(spans).toMatchObject([
      { label: 'assess', endedAt: expect.any(Number) },
      { label: 'approve', endedAt: null },
    ]);
    expect(transitions).toHaveLength(4);
  });

  it('takes what its chart takes now, and a recall ends it', async () => {
    const { detent, start } = await withRefund();
    const { runId, pending } = await start().result;
    const allowed = await detent.runs.allowed(runId);
    expect(allowed.map(({ type }) => type).sort()).toEqual(['order.recalled', 'run.cancel']);
    expect(await detent.workflows.send(runId, { type: 'order.recalled' })).toBe(true);
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done' });
    expect(await detent.runs.why(runId)).toMatchObject({ cause: 'completed' });
    expect(await detent.runs.attach(String(pending[0]?.runId)).result).toMatchObject({ status: 'cancelled' });
  });

  it('takes no message', async () => {
    const { detent, start } = await withRefund();
    const { runId } = await start().result;
    await expect(detent.runs.steer(runId, 'hurry')).rejects.toMatchObject({ code: 'TAKES_NO_MESSAGES' });
  });
});

describe('a fork of a refund', () => {
  it('in mid-wait begins a question of its own, and leaves the original alone', async () => {
    const { detent, start } = await withRefund();
    const { runId, pending, states } = await start().result;
    expect(states.at(-1)).toBe('approving');
    expect(await detent.runs.at(runId, 4)).toMatchObject({
      path: 'approving',
      effects: [{ service: 'approve', status: 'open' }],
    });
    const preview = await detent.runs.forkPreview(runId, { at: 4 });
    expect(preview).toMatchObject({ model: '', open: [{ service: 'approve', isSafeToRepeat: false }] });
    const fork = await detent.runs.fork(runId, { at: 4 });
    expect(fork.open).toMatchObject([{ service: 'approve', status: 'pending' }]);
    expect(await detent.runs.why(fork.runId)).toMatchObject({ status: 'unstarted', cause: 'not_resumed' });
    await detent.runs.resume({ runId: fork.runId });
    const view = await detent.runs.attach(fork.runId).result;
    expect(view).toMatchObject({ status: 'waiting', workflow: { state: 'approving' } });
    const [asked] = view.pending;
    expect(asked?.runId).not.toBe(pending[0]?.runId);
    await detent.runs.confirm(String(asked?.runId), String(asked?.callId), { verdict: 'approve' });
    expect(await detent.runs.attach(fork.runId).result).toMatchObject({ status: 'done' });
    expect(await detent.runs.show(runId)).toMatchObject({ status: 'waiting', waitsFor: pending[0]?.runId });
    expect(await detent.runs.diff(runId, fork.runId)).toMatchObject({ a: { status: 'waiting' } });
  });

  it('changes no model and no message', async () => {
    const { detent, start } = await withRefund();
    const { runId } = await start().result;
    await expect(detent.runs.fork(runId, { at: 1, model: 'test/script' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });
});

describe('an inspected refund', () => {
  it('shows the config and the context of the chart, and the runs of its services', async () => {
    const { detent, start } = await withRefund();
    const { runId } = await start().result;
    const seen = new Set<string>();
    const types: string[] = [];
    for await (const message of detent.runs.inspect(runId, { from: 'start' })) {
      if (message.type === '@xstate.actor') {
        seen.add(message.sessionId);
        if (message.sessionId === runId) expect(JSON.parse(message.definition ?? '{}').id).toBe('refund');
      }
      if (message.sessionId === runId && message.type === '@xstate.snapshot') {
        types.push(message.event.type);
        expect(message.snapshot.context).toHaveProperty('order', 'o1');
      }
      if (types.length === 4 && seen.size === 3) break;
    }
    expect([...seen].map((id) => id.replace(runId, 'run')).sort()).toEqual(['run', 'run.c1', 'run.c2']);
    expect(types).toContain('approve began');
  });
});
