import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions, RunSignal } from '../../src/index.ts';
import type { ChatModel } from '../../src/ports/chat-model.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { fakeClock, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { gate, scripted, temporaryWorkspace, tool, withModel } from '../support/detent.ts';

/** Detents that follow each other on one database file, as processes do. */
async function processes(options: DetentOptions = {}) {
  const workspace = await temporaryWorkspace();
  return (model: ChatModel, over: DetentOptions = {}): Detent =>
    createDetent({ workspace, env: {}, model: 'test/script', models: { test: model }, ...options, ...over });
}

function waiting(...rest: ScriptLine[]) {
  const { pass, reached } = gate();
  const line: ScriptLine = (_, { signal }) => pass(signal).then(() => ({ text: 'never heard' }));
  return { model: scriptedModel([line, ...rest]), reached };
}

describe('closing during a run', () => {
  it('leaves it interrupted; opening and resuming finishes it', async () => {
    const open = await processes();
    const first = waiting();
    const detent = open(first.model);
    const run = detent.run('hello', { session: 's' });
    await first.reached;
    await detent.close();
    const second = open(scriptedModel([{ text: 'hi' }]));
    expect((await second.runs.show(run.runId)).status).toBe('interrupted');
    expect(await second.runs.resume()).toEqual([run.runId]);
    expect(await second.runs.attach(run.runId).result).toMatchObject({ status: 'done', text: 'hi' });
    await second.close();
  });

  it('lets go who waits for its result and who reads its events', async () => {
    const open = await processes();
    const { model, reached } = waiting();
    const detent = open(model);
    const run = detent.run('hello', { session: 's' });
    const later = detent.run('later', { session: 's' });
    const [result, queued] = [run.result, later.result];
    const signals = (async () => {
      const list: RunSignal[] = [];
      for await (const signal of run.events) list.push(signal);
      return list.length;
    })();
    await Promise.all([reached, later.started]);
    await detent.close();
    expect([(await result).status, (await queued).status]).toEqual(['interrupted', 'queued']);
    expect(await signals).toBeGreaterThan(0);
  });

  it('is done once, however often it is asked for, and refuses all use after it', async () => {
    const { detent } = await scripted([{ text: 'hi' }]);
    const run = detent.run('hello');
    await run.result;
    await Promise.all([detent.close(), detent.close()]);
    await detent.close();
    await expect(detent.run('more').started).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(detent.runs.show(run.runId)).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(run.result).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('before the first use opens nothing', async () => {
    const detent = createDetent({ workspace: '/nowhere/at/all' });
    await detent.close();
  });

  it('while a run is being made loses it wholly or keeps it wholly', async () => {
    const open = await processes();
    for (let turns = 0; turns < 15; turns++) {
      const detent = open(scriptedModel([{ text: 'hi' }]));
      const run = detent.run('hello', { session: `s${turns}` });
      const started = run.started.then(
        () => true,
        () => false,
      );
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setTimeout(resolve, 1));
      await detent.close();
      const next = open(scriptedModel([{ text: 'hi' }]));
      await next.runs.resume();
      const isThere = (await next.runs.list({ session: `s${turns}` })).length === 1;
      if (await started) expect(isThere).toBe(true);
      if (isThere)
        expect(await next.runs.attach(run.runId).result).toMatchObject({ status: 'done', text: 'hi' });
      await next.close();
    }
  });

  it('causes no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const errors: unknown[] = [];
    const open = await processes({ onError: (error) => errors.push(error) });
    for (let turns = 0; turns < 10; turns++) {
      const detent = open(scriptedModel(Array.from({ length: 20 }, () => ({ text: 'hi' }))));
      for (let i = 0; i < 5; i++) {
        const run = detent.run('hello', { session: i % 2 ? 'a' : 'b' });
        void run.events;
        detent.on(run.runId, () => {});
      }
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      await detent.close();
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect([unhandled, errors]).toEqual([[], []]);
  });
});

describe('a run in a session that an earlier process left at work', () => {
  const left = async () => {
    const open = await processes();
    const { model, reached } = waiting();
    const first = open(model);
    const run = first.run('hello', { session: 's' });
    await reached;
    await first.close();
    return { open, runId: run.runId };
  };

  it('stands behind what was left, and carries that on first', async () => {
    const { open, runId } = await left();
    const second = open(scriptedModel([{ text: 'one' }, { text: 'two' }]));
    const later = second.run('later', { session: 's' });
    expect((await later.result).text).toBe('two');
    expect((await second.runs.show(runId)).text).toBe('one');
    await second.close();
  });

  it('joins it when it is told to steer, and it goes on', async () => {
    const { open, runId } = await left();
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }]);
    const second = open(model);
    const joined = second.run('later', { session: 's', mode: 'steer' });
    expect([await joined.started, (await joined.result).text]).toEqual([runId, 'two']);
    expect(model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['hello', 'later']);
    await second.close();
  });

  it('takes its place when it is told to interrupt', async () => {
    const { open, runId } = await left();
    const second = open(scriptedModel([{ text: 'one' }]));
    expect((await second.run('later', { session: 's', mode: 'interrupt' }).result).text).toBe('one');
    expect((await second.runs.show(runId)).status).toBe('cancelled');
    await second.close();
  });

  it('of another name leaves it alone', async () => {
    const { open, runId } = await left();
    const second = open(scriptedModel([{ text: 'one' }]));
    await second.run('other', { session: 't' }).result;
    expect((await second.runs.show(runId)).status).toBe('interrupted');
    await second.close();
  });
});

describe('a run that waits for a person', () => {
  const write = (seen: unknown[]) =>
    tool('write', { sideEffect: 'unsafe', run: ({ n }) => void seen.push(n) });
  const twoCalls = {
    toolCalls: [
      { name: 'write', arguments: { n: 1 } },
      { name: 'write', arguments: { n: 2 } },
    ],
  };

  it('survives its process, and is decided in another, in reverse order', async () => {
    const seen: unknown[] = [];
    const open = await processes({ tools: { define: [write(seen)] } });
    const first = open(scriptedModel([twoCalls]));
    const run = first.run('write');
    const { pending } = await run.result;
    await first.close();

    const second = open(scriptedModel([]));
    const confirm = (call: number, hash?: string) =>
      second.runs.confirm(run.runId, `c${call}`, { verdict: 'approve', ...(hash && { hash }) });
    await expect(confirm(3, pending[0]?.argumentsHash)).rejects.toMatchObject({ code: 'HASH_MISMATCH' });
    expect(await confirm(3, pending[1]?.argumentsHash)).toEqual({
      applied: true,
      verdict: 'approve',
      stands: true,
    });
    expect(await second.runs.confirm(run.runId, 'c3', { verdict: 'reject' })).toEqual({
      applied: false,
      verdict: 'approve',
      stands: false,
    });
    expect((await second.runs.show(run.runId)).pending.map(({ callId }) => callId)).toEqual(['c2']);
    await second.runs.confirm(run.runId, 'c2', { verdict: 'reject' });
    expect([(await second.runs.show(run.runId)).status, seen]).toEqual(['decided', []]);
    await second.close();

    const third = open(scriptedModel([{ text: 'done' }]));
    await third.runs.resume({ runId: run.runId });
    const view = await third.runs.attach(run.runId).result;
    expect([view.text, seen, view.steps[0]?.toolCalls.map(({ status }) => status)]).toEqual([
      'done',
      [2],
      ['rejected', 'done'],
    ]);
    await third.close();
  });

  it('is waiting in every process that looks at it', async () => {
    const open = await processes({ tools: { define: [write([])] } });
    const first = open(scriptedModel([twoCalls]));
    const run = first.run('write');
    await run.result;
    await first.close();
    const second = open(scriptedModel([]));
    expect(await second.runs.attach(run.runId).result).toMatchObject({ status: 'waiting' });
    await second.runs.resume();
    expect(await second.runs.attach(run.runId).result).toMatchObject({ status: 'waiting' });
    await second.close();
  });

  it('expires while no process lives, and goes on when one does', async () => {
    const clock = fakeClock();
    const open = await processes({ tools: { define: [write([])] }, clock });
    const first = open(scriptedModel([twoCalls]));
    const run = first.run('write');
    await run.result;
    await first.close();
    await clock.advance(8 * 86_400_000);
    const second = open(scriptedModel([{ text: 'pity' }]));
    await second.runs.resume();
    const view = await second.runs.attach(run.runId).result;
    expect([view.text, view.steps[0]?.toolCalls.map(({ decision, code }) => [decision, code])]).toEqual([
      'pity',
      [
        ['expired', 'EXPIRED'],
        ['expired', 'EXPIRED'],
      ],
    ]);
    await second.close();
  });
});

describe('a call whose process died', () => {
  const interrupted = async (
    sideEffect: 'readonly' | 'idempotent' | 'probe' | 'unsafe',
    status?: () => unknown,
  ) => {
    const tried: string[] = [];
    const { pass, reached } = gate();
    const act = tool('act', {
      sideEffect,
      confirm: false,
      run: async (_, { idempotencyKey, signal }) => {
        tried.push(idempotencyKey);
        if (tried.length === 1) await pass(signal);
        return 'acted';
      },
      ...(status && { status: status as never }),
    });
    const open = await processes({ tools: { define: [act] } });
    const first = open(scriptedModel([{ toolCalls: [{ name: 'act' }] }]));
    const run = first.run('act');
    await reached;
    await first.close();
    const second = open(scriptedModel([{ text: 'ok' }]));
    await second.runs.resume();
    const handle = second.runs.attach(run.runId);
    const view = await handle.result;
    return { tried, view, handle, detent: second, close: () => second.close(), key: `${run.runId}:2` };
  };

  it.each(['readonly', 'idempotent'] as const)(
    'is made again under the same key when it is %s',
    async (sideEffect) => {
      const { tried, view, close, key } = await interrupted(sideEffect);
      expect([tried, view.text]).toEqual([[key, key], 'ok']);
      await close();
    },
  );

  it.each([
    ['that it ran', () => ({ ran: true, result: 'it had acted' }), 1, 'it had acted'],
    ['that it did not', () => ({ notRan: true }), 2, 'acted'],
  ])('is asked about when it is a probe, and says %s', async (_, status, times, result) => {
    const { tried, view, close } = await interrupted('probe', status);
    expect([tried.length, view.steps[0]?.toolCalls[0]?.result, view.text]).toEqual([times, result, 'ok']);
    await close();
  });

  it('that cannot say, or is unsafe, is never made again without a person', async () => {
    for (const status of [undefined, () => ({ unknown: true })]) {
      const { tried, view, close } = await interrupted(status ? 'probe' : 'unsafe', status);
      expect([tried.length, view.status, view.pending]).toMatchObject([
        1,
        'waiting',
        [{ kind: 'reconcile', callId: 'c2', name: 'act' }],
      ]);
      expect(view.steps[0]?.toolCalls[0]?.status).toBe('uncertain');
      await close();
    }
  });

  it.each([
    [{ verdict: 'ran', result: 'I saw it' } as const, 1, 'done', 'I saw it'],
    [
      { verdict: 'ran' } as const,
      1,
      'done',
      'The user confirms that the call took effect; its output is lost.',
    ],
    [{ verdict: 'retry' } as const, 2, 'done', 'acted'],
    [
      { verdict: 'skip' } as const,
      1,
      'skipped',
      'The call was interrupted and its outcome is unknown; the user chose to go on without it.',
    ],
  ])('is settled by a person: %j', async (word, times, status, result) => {
    const { tried, handle, detent, close } = await interrupted('unsafe');
    expect(await detent.runs.reconcile(handle.runId, 'c2', word)).toEqual({
      applied: true,
      verdict: word.verdict,
      stands: true,
    });
    const view = await handle.result;
    expect([view.text, tried.length, view.steps[0]?.toolCalls[0]]).toMatchObject([
      'ok',
      times,
      { status, result },
    ]);
    expect(await detent.runs.reconcile(handle.runId, 'c2', { verdict: 'skip' })).toEqual({
      applied: false,
      verdict: word.verdict,
      stands: word.verdict === 'skip',
    });
    await close();
  });
});

describe('a store of one’s own', () => {
  it('carries runs from one Detent to the next, and is its owner’s to close', async () => {
    const store = openInMemory();
    const { model, reached } = waiting();
    const first = withModel(model, { store });
    const run = first.run('hello');
    await reached;
    await first.close();
    const second = withModel(scriptedModel([{ text: 'hi' }]), { store });
    await second.runs.resume();
    expect((await second.runs.attach(run.runId).result).text).toBe('hi');
    await second.close();
    expect(await store.query('listRuns', { tenant: 1, limit: 9 })).toHaveLength(1);
    await store.close();
  });
});

describe('a second Detent on the same file', () => {
  it('works beside the first, and both see all runs', async () => {
    const open = await processes();
    const first = open(scriptedModel([{ text: 'hi' }]));
    const run = first.run('hello');
    await run.result;
    const second = open(scriptedModel([{ text: 'ho' }]));
    const other = second.run('hello');
    expect((await other.result).text).toBe('ho');
    for (const detent of [first, second])
      expect((await detent.runs.list()).map(({ runId }) => runId)).toEqual([other.runId, run.runId]);
    await Promise.all([first.close(), second.close()]);
  });

  it('may read beside it', async () => {
    const open = await processes();
    const { model, reached } = waiting();
    const first = open(model);
    const run = first.run('hello');
    await reached;
    const reader = open(scriptedModel([]), { readonly: true });
    expect((await reader.runs.show(run.runId)).status).toBe('running');
    const result = reader.runs.attach(run.runId).result;
    expect((await reader.runs.list()).map(({ runId }) => runId)).toEqual([run.runId]);
    await expect(reader.run('mine').started).rejects.toMatchObject({
      code: expect.stringMatching(/READONLY/),
    });
    await expect(reader.runs.cancel(run.runId)).rejects.toMatchObject({ code: expect.any(String) });
    await first.close();
    expect(await result).toMatchObject({ status: 'interrupted' });
    await reader.close();
    const alone = open(scriptedModel([]), { readonly: true });
    expect((await alone.runs.show(run.runId)).status).toBe('interrupted');
    await alone.close();
  });
});

describe('open', () => {
  it('opens the database at once, and no more when the Detent was closed', async () => {
    const workspace = await temporaryWorkspace();
    const file = join(workspace, 'runs.db');
    const detent = createDetent({ workspace, database: { file }, env: {} });
    expect(existsSync(file)).toBe(false);
    await detent.open();
    expect(existsSync(file)).toBe(true);
    await detent.close();
    await expect(detent.open()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
