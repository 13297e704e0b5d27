import { describe, expect, it } from 'vitest';
import { readMessages } from '../../src/engine/log/read-log.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { gate, tool } from '../support/detent.ts';
import { givenCalls } from '../support/given-call.ts';

const tenant = 1;

/** A tool that notes the key of each call. */
function noting(over: Parameters<typeof tool>[1] = {}) {
  const keys: string[] = [];
  const run = (_: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
    keys.push(idempotencyKey);
    return 'booked';
  };
  return { keys, book: tool('book', { sideEffect: 'idempotent', run, ...over }) };
}

describe('a run that makes one given call', () => {
  it('makes it without a model, and has spent nothing', async () => {
    const { book, keys } = noting();
    const { core, call } = await givenCalls([book]);
    const { runId, view } = await call('book', { seat: 4 });
    expect(view).toMatchObject({ status: 'done', outcome: 'completed', text: '', error: null });
    expect(view.usage).toMatchObject({ inputTokens: 0, outputTokens: 0, costUsd: null });
    expect(view.steps).toMatchObject([
      {
        model: 'book',
        usage: null,
        finishReason: null,
        toolCalls: [{ callId: 'c1', name: 'book', arguments: { seat: 4 }, status: 'done', result: 'booked' }],
      },
    ]);
    expect(keys).toEqual([`${runId}:1`]);
    const row = await core.runs.row(tenant, runId);
    expect(row).toMatchObject({ machine: 'call', seq: 2, ended: 1 });
    const messages = await Array.fromAsync(readMessages(core.store, row));
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    const range = { from: 0, to: 1e15, sessionKey: null, user: null, runId: null, reach: null, limit: 9 };
    expect(await core.store.query('sumUsage', { tenant, by: 'run', ...range })).toEqual([]);
  });

  it('hands the key to the tool that it was given', async () => {
    const { book, keys } = noting();
    const { start, settled } = await givenCalls([book]);
    const given = { name: 'book', arguments: '{}', idempotencyKey: 'flow:3' };
    await settled(await start({ call: given }));
    await settled(await start({ call: given }));
    expect(keys).toEqual(['flow:3', 'flow:3']);
  });

  it('takes known secrets out of the arguments before it stores them', async () => {
    const seen: unknown[] = [];
    const look = tool('look', { run: (args) => void seen.push(args) });
    const env = { MY_API_KEY: 'sk-very-secret-1234567890' };
    const { core, call } = await givenCalls([look], { env });
    const { runId } = await call('look', { key: env.MY_API_KEY });
    expect((await core.runs.row(tenant, runId)).options).not.toContain(env.MY_API_KEY);
    expect(seen).toEqual([{ key: '[redacted:MY_API_KEY]' }]);
  });

  it('takes them out of what a chart asks, too', async () => {
    const env = { MY_API_KEY: 'sk-very-secret-1234567890' };
    const { core, call } = await givenCalls([], { env });
    const { runId, view } = await call('ask', {}, { ask: { approval: { text: `Use ${env.MY_API_KEY}?` } } });
    expect((await core.runs.row(tenant, runId)).options).not.toContain(env.MY_API_KEY);
    expect(view.pending[0]?.why).toBe('Use [redacted:MY_API_KEY]?');
  });

  it('asks a person where the tool does, with the preview', async () => {
    const { book } = noting({
      sideEffect: 'unsafe',
      preview: async () => ({ text: 'books seat 4' }),
    });
    const { call } = await givenCalls([book]);
    expect((await call('book')).view).toMatchObject({
      status: 'waiting',
      pending: [{ kind: 'confirm', callId: 'c1', name: 'book', preview: 'books seat 4' }],
    });
  });

  it('asks a person once untrusted text has come into its workflow, as an agent would', async () => {
    const { book } = noting();
    const { call } = await givenCalls([book]);
    const tainted = [{ tool: 'http_get', run: 7, call: 2, at: 0 }];
    const { view } = await call('book', {}, { tainted });
    expect(view).toMatchObject({ status: 'waiting', tainted: [{ tool: 'http_get', earlier: true }] });
    expect((await call('book')).view.status).toBe('done');
  });

  it('has the hooks of tools, and none of models', async () => {
    const { book } = noting();
    const called: string[] = [];
    const hooks = {
      beforeModel: [() => void called.push('beforeModel')],
      afterModel: [() => void called.push('afterModel')],
      beforeTool: [() => void called.push('beforeTool')],
      afterTool: [() => ({ rewrite: 'hooked' })],
    };
    const { call } = await givenCalls([book], { hooks: hooks as never });
    const { view } = await call('book');
    expect(called).toEqual(['beforeTool']);
    expect(view.steps[0]?.toolCalls[0]?.result).toBe('hooked');
  });

  it('takes no message', async () => {
    const { book } = noting({ sideEffect: 'unsafe' });
    const { detent, call, settled } = await givenCalls([book]);
    const { runId, view } = await call('book');
    const steered = detent.runs.steer(runId, 'hurry up');
    await expect(steered).rejects.toMatchObject({ code: 'TAKES_NO_MESSAGES' });
    expect(await settled(runId)).toEqual(view);
  });

  it('needs of its program the one tool, and no model', async () => {
    const { book } = noting({ sideEffect: 'unsafe' });
    const store = openInMemory();
    const { core, call } = await givenCalls([book, tool('other')], { store });
    const { runId } = await call('book');
    const { options } = await core.runs.row(tenant, runId);
    expect(JSON.parse(options)).toMatchObject({ needs: { tools: ['book'] } });
    expect(JSON.parse(options)).not.toHaveProperty('model');
    await core.close();
    const next = await givenCalls([book], { store });
    expect(await next.core.runs.resume(tenant, { runId })).toEqual([runId]);
    expect((await next.confirm(runId, { verdict: 'approve' })).status).toBe('done');
  });
});

describe('the process of a given call dies', () => {
  /** The call is at work when its process goes; the next process has taken the run. */
  async function died(sideEffect: 'unsafe' | 'idempotent') {
    const store = openInMemory();
    const door = gate();
    const keys: string[] = [];
    const book = tool('book', {
      sideEffect,
      confirm: false,
      run: async (_, { idempotencyKey, signal }) => {
        keys.push(idempotencyKey);
        if (keys.length > 1) return 'booked';
        await door.pass(signal);
        throw new Error('the process is dead');
      },
    });
    const first = await givenCalls([book], { store });
    const runId = await first.start({ call: { name: 'book', arguments: '{}', idempotencyKey: 'flow:3' } });
    await door.reached;
    await first.core.close();
    const next = await givenCalls([book], { store });
    await next.core.runs.resume(tenant, { runId });
    return { ...next, keys, runId, view: await next.settled(runId) };
  }

  it('a person says what became of an unsafe one', async () => {
    const { view, keys, runId, reconcile, result } = await died('unsafe');
    expect(view).toMatchObject({ status: 'waiting', pending: [{ kind: 'reconcile', name: 'book' }] });
    expect(keys).toHaveLength(1);
    expect((await reconcile(runId, { verdict: 'ran', result: 'seat 4' })).status).toBe('done');
    expect(await result(runId)).toMatchObject({ ok: true, text: 'seat 4' });
    expect(keys).toHaveLength(1);
  });

  it('its output is empty when the person does not say it', async () => {
    const { runId, reconcile, result } = await died('unsafe');
    await reconcile(runId, { verdict: 'ran' });
    expect(await result(runId)).toMatchObject({ ok: true, text: '' });
  });

  it('an unsafe one that did not run is skipped, or made again under the same key', async () => {
    const skipped = await died('unsafe');
    await skipped.reconcile(skipped.runId, { verdict: 'skip' });
    expect(await skipped.result(skipped.runId)).toMatchObject({ ok: false, code: 'SKIPPED' });
    const again = await died('unsafe');
    await again.reconcile(again.runId, { verdict: 'retry' });
    expect(await again.result(again.runId)).toMatchObject({ ok: true, text: 'booked' });
    expect(again.keys).toEqual(['flow:3', 'flow:3']);
  });

  it('an idempotent one is made again under the same key', async () => {
    const { view, keys, runId, result } = await died('idempotent');
    expect(view.status).toBe('done');
    expect(keys).toEqual(['flow:3', 'flow:3']);
    expect(await result(runId)).toMatchObject({ ok: true, text: 'booked' });
  });
});
