import { describe, expect, it, onTestFinished } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import type { ScriptLine } from '../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool } from '../support/detent.ts';

/** A Detent with a tool that only looks, and one that books, which asks. */
async function shop(options: DetentOptions = {}, script: readonly ScriptLine[] = []) {
  const booked: unknown[] = [];
  const book = tool('book', {
    sideEffect: 'unsafe',
    confirm: true,
    run: (args) => `seat ${booked.push(args)}`,
  });
  const look = tool('look', { run: ({ at }) => `seen ${at}` });
  const broken = tool('broken', { run: () => Promise.reject(new Error('out of order')) });
  const define = [book, look, broken, ...(options.tools?.define ?? [])];
  return { ...(await scripted(script, { ...options, tools: { define } })), booked };
}

describe('a call that a program asks for', () => {
  it('is made without a model, as a run of its own', async () => {
    const { detent, model } = await shop();
    const handle = detent.tools.call('look', { at: 'the sea' });
    const view = await handle.result;
    expect(view).toMatchObject({ runId: handle.runId, status: 'done', outcome: 'completed' });
    expect(view.call).toMatchObject({ name: 'look', status: 'done', result: 'seen the sea', isError: false });
    expect(model.requests).toHaveLength(0);
    expect(await detent.runs.list()).toMatchObject([
      { runId: view.runId, model: 'tool/look', status: 'done' },
    ]);
    expect((await detent.runs.why(view.runId)).summary).toContain('of look, which succeeded: "seen the sea"');
  });

  it('asks a person where a call of an agent would, and the decision holds', async () => {
    const { detent, booked } = await shop();
    const handle = detent.tools.call('book', { seat: 4 });
    const parked = await handle.result;
    expect(parked).toMatchObject({
      status: 'waiting',
      pending: [{ kind: 'confirm', callId: 'c1', name: 'book', arguments: { seat: 4 } }],
      call: { status: 'pending', result: null },
    });
    expect(booked).toEqual([]);
    await handle.confirm('c1', { verdict: 'approve' });
    expect((await handle.result).call).toMatchObject({
      status: 'done',
      decision: 'approve',
      result: 'seat 1',
    });
    const rejected = detent.tools.call('book');
    await rejected.result;
    await rejected.confirm('c1', { verdict: 'reject', reason: 'too far' });
    expect((await rejected.result).call).toMatchObject({ isError: true, code: 'REJECTED_BY_USER' });
    expect(booked).toEqual([{ seat: 4 }]);
  });

  it('is performed unasked with approve "all", and refused with "none"', async () => {
    const { detent, booked } = await shop();
    expect((await detent.tools.call('book', {}, { approve: 'none' }).result).call?.isError).toBe(true);
    expect(booked).toEqual([]);
    expect((await detent.tools.call('book', {}, { approve: 'all' }).result).call?.isError).toBe(false);
    expect(booked).toHaveLength(1);
  });

  it('has what failed as its result', async () => {
    const { detent } = await shop();
    expect((await detent.tools.call('broken').result).call).toMatchObject({
      status: 'failed',
      isError: true,
    });
    expect((await detent.tools.call('gone').result).call).toMatchObject({ code: 'UNKNOWN_TOOL' });
    const lists = detent.tools.call('calculator', { expression: 3 });
    expect((await lists.result).call).toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('is of the tools of its agent alone', async () => {
    const { detent } = await shop({ agents: { clerk: { tools: ['look'] } } });
    const agent = 'clerk';
    const view = await detent.tools.call('look', { at: 1 }, { agent }).result;
    expect(view).toMatchObject({ agent, call: { isError: false } });
    expect((await detent.tools.call('book', {}, { agent, approve: 'all' }).result).call).toMatchObject({
      status: 'rejected',
      code: 'TOOL_NOT_ALLOWED',
      result: expect.stringContaining('look'),
    });
    await expect(detent.tools.call('look', {}, { agent: 'nobody' }).started).rejects.toMatchObject({
      code: 'UNKNOWN_AGENT',
    });
  });

  it('refuses a field that it does not know, which may be a restriction', async () => {
    const { detent } = await shop();
    const call = detent.tools.call('look', {}, { approved: 'none' } as object);
    await expect(call.started).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await detent.runs.list()).toEqual([]);
  });

  it('takes no message, and can be cancelled', async () => {
    const { detent, booked } = await shop();
    const handle = detent.tools.call('book');
    await handle.result;
    await expect(handle.steer('hurry')).rejects.toMatchObject({ code: 'TAKES_NO_MESSAGES' });
    expect(await handle.cancel('changed my mind')).toBe(true);
    expect(await handle.result).toMatchObject({ status: 'cancelled', call: { status: 'cancelled' } });
    expect(booked).toEqual([]);
  });
});

describe('a call with a key', () => {
  it('is made once, and another one with the key is refused', async () => {
    const { detent, booked } = await shop();
    const request = { idempotencyKey: 'k', approve: 'all' as const };
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => detent.tools.call('book', { seat: 4, row: 1 }, request).started),
    );
    expect(new Set(ids).size).toBe(1);
    const same = detent.tools.call('book', { row: 1, seat: 4 }, request);
    expect((await same.result).call?.result).toBe('seat 1');
    const conflict = { code: 'IDEMPOTENCY_CONFLICT' };
    await expect(detent.tools.call('book', { seat: 5 }, request).started).rejects.toMatchObject(conflict);
    await expect(detent.tools.call('look', {}, request).started).rejects.toMatchObject(conflict);
    await expect(detent.run('hello', { idempotencyKey: 'k' }).started).rejects.toMatchObject(conflict);
    expect(booked).toHaveLength(1);
  });
});

describe('a call in a conversation', () => {
  it('is seen by the agent afterwards, which keeps its model', async () => {
    const { detent, model } = await shop({}, [{ text: 'hello' }, { text: 'I saw it' }]);
    await detent.run('hi', { sessionId: 's' }).result;
    await detent.tools.call('look', { at: 'the sea' }, { sessionId: 's' }).result;
    const request = await detent.sessions.continuing('s');
    expect((await detent.run('and?', request).result).text).toBe('I saw it');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('seen the sea');
  });

  it('waits for its turn, and what follows waits for it', async () => {
    const held = gate();
    const hold = tool('hold', { run: (_, { signal }) => held.pass(signal).then(() => 'ok') });
    const { detent } = await shop({ tools: { define: [hold] } }, [
      { toolCalls: [{ name: 'hold' }] },
      { text: 'first' },
      { text: 'third' },
    ]);
    const first = detent.run('hold', { sessionId: 's' });
    await held.reached;
    const second = detent.tools.call('book', {}, { sessionId: 's' });
    await second.started;
    const third = detent.run('and?', { sessionId: 's' });
    await third.started;
    held.open();
    expect((await first.result).text).toBe('first');
    expect((await second.result).status).toBe('waiting');
    expect((await third.result).status).toBe('queued');
    await second.confirm('c1', { verdict: 'approve' });
    expect((await third.result).text).toBe('third');
  });

  it('is allowed by what a person allowed for the session', async () => {
    const { detent, booked } = await shop();
    const asked = detent.tools.call('book', { seat: 4 }, { sessionId: 's' });
    await asked.result;
    await asked.confirm('c1', { verdict: 'approve', grant: {} });
    await asked.result;
    expect((await detent.tools.call('book', { seat: 4 }, { sessionId: 's' }).result).status).toBe('done');
    expect((await detent.tools.call('book', { seat: 5 }, { sessionId: 's' }).result).status).toBe('waiting');
    expect((await detent.tools.call('book', { seat: 4 }).result).status).toBe('waiting');
    expect(booked).toHaveLength(2);
  });

  it('is not for the session of another user, nor for a name that Detent keeps', async () => {
    const { detent } = await shop();
    const principal = { userId: 'alice' };
    await detent.tools.call('look', {}, { sessionId: 's', principal }).result;
    const asBob = { principal: { userId: 'bob' } };
    await expect(detent.tools.call('look', {}, { sessionId: 's', ...asBob }).started).rejects.toMatchObject({
      code: 'SESSION_OF_ANOTHER_USER',
    });
    await expect(
      detent.tools.call('look', {}, { sessionId: 'cron:daily', ...asBob }).started,
    ).rejects.toMatchObject({ code: 'INVALID_SESSION' });
  });
});

describe('the process of a call dies', () => {
  it.each([
    ['idempotent', { status: 'done', call: { result: 'booked', isError: false } }],
    ['unsafe', { status: 'waiting', pending: [{ kind: 'reconcile', callId: 'c1' }] }],
  ] as const)('and the next one goes on as the class of the tool says: %s', async (sideEffect, after) => {
    const held = gate();
    const keys: string[] = [];
    const book = tool('book', {
      sideEffect,
      run: async (_, { idempotencyKey, signal }) => {
        if (keys.push(idempotencyKey) > 1) return 'booked';
        await held.pass(signal);
        throw new Error('the process is dead');
      },
    });
    const workspace = await temporaryWorkspace();
    const open = () => createDetent({ workspace, env: {}, tools: { define: [book] } });
    const request = { idempotencyKey: 'k', approve: 'all' as const };
    const first = open();
    const { runId } = first.tools.call('book', {}, request);
    await held.reached;
    await first.close();
    const next = open();
    onTestFinished(() => next.close());
    expect(await next.runs.resume()).toEqual([runId]);
    expect(await next.tools.call('book', {}, request).result).toMatchObject({ runId, ...after });
    expect(new Set(keys).size).toBe(1);
  });
});
