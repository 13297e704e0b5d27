import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions } from '../../src/index.ts';
import type { ChatModel } from '../../src/protocol/ports/chat-model.ts';
import { createDetent } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { itDeep } from '../support/deep.ts';
import { gate, scripted, temporaryWorkspace, withModel } from '../support/detent.ts';

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
  it('lets go who waits for its result and who reads its events', async () => {
    const open = await processes();
    const { model, reached } = waiting();
    const detent = open(model);
    const run = detent.run('hello', { sessionId: 's' });
    const later = detent.run('later', { sessionId: 's' });
    const [result, queued] = [run.result, later.result];
    const signals = (async () => {
      const list = await Array.fromAsync(run.events);
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

  itDeep('while a run is being made loses it wholly or keeps it wholly', async () => {
    const open = await processes();
    for (let turns = 0; turns < 15; turns++) {
      const detent = open(scriptedModel([{ text: 'hi' }]));
      const run = detent.run('hello', { sessionId: `s${turns}` });
      const started = run.started.then(
        () => true,
        () => false,
      );
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setTimeout(resolve, 1));
      await detent.close();
      const next = open(scriptedModel([{ text: 'hi' }]));
      await next.runs.resume();
      const isThere = (await next.runs.list({ sessionId: `s${turns}` })).length === 1;
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
        const run = detent.run('hello', { sessionId: i % 2 ? 'a' : 'b' });
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
