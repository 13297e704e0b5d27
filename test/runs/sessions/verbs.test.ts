import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions } from '../../../src/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { expectCode } from '../../store/support.ts';
import { scripted, temporaryWorkspace, tool } from '../../support/detent.ts';

const write = tool('write', { sideEffect: 'unsafe' });
const asks: ScriptLine = { toolCalls: [{ name: 'write' }] };

async function withWrite(script: readonly ScriptLine[], options: DetentOptions = {}) {
  return scripted(script, {
    tools: { define: [write, tool('big', { run: () => `${canary} `.repeat(9_000) })] },
    ...options,
  });
}

const said = (messages: readonly { text: string }[] | undefined) =>
  messages?.map(({ text }) => text).slice(1);

function linesOf(detent: Detent, session: string): Promise<string[]> {
  return Array.fromAsync(detent.sessions.export(session));
}

describe('sessions.list', () => {
  it('tells of each session how it stands, newest first', async () => {
    const { detent } = await withWrite([{ text: 'one' }, asks]);
    await detent.run('a', { sessionId: 'old' }).result;
    await detent.run('b', { sessionId: 'new' }).result;
    const queued = detent.run('c', { sessionId: 'new' });
    await queued.started;
    const [newer, older] = await detent.sessions.list();
    // The head of a lane is what counts, not what is queued behind it.
    expect(newer).toMatchObject({ sessionId: 'new', runs: 2, status: 'waiting', messages: 3 });
    expect(older).toMatchObject({ sessionId: 'old', runs: 1, status: 'done', messages: 2 });
    expect(newer?.lastActivityAt).toBeGreaterThanOrEqual(newer?.createdAt ?? Number.NaN);
    expect(await detent.sessions.list({ limit: 1 })).toEqual([newer]);
  });
});

describe('sessions.show', () => {
  it('has the conversation, the runs and what they cost together', async () => {
    const usage = { inputTokens: 10, outputTokens: 5 };
    const { detent } = await withWrite([
      { text: 'so', toolCalls: [{ name: 'nope', arguments: { a: 1 } }], usage },
      { text: 'done', usage },
      { text: 'again', usage },
    ]);
    const first = await detent.run('a', { sessionId: 's' }).result;
    const second = await detent.run('b', { sessionId: 's' }).result;
    const view = await detent.sessions.show('s');
    expect(view).toMatchObject({
      sessionId: 's',
      runs: 2,
      status: 'done',
      usage: { inputTokens: 30, outputTokens: 15 },
      history: [
        { runId: first.runId, status: 'done', outcome: 'completed', imported: false },
        { runId: second.runId, status: 'done' },
      ],
    });
    expect(view.conversation).toMatchObject([
      { role: 'user', text: 'a', runId: first.runId, inPrompt: true },
      { role: 'assistant', text: 'so', toolCalls: [{ callId: 'c2', name: 'nope', arguments: '{"a":1}' }] },
      { role: 'tool', callId: 'c2', name: 'nope', status: 'failed' },
      { role: 'assistant', text: 'done' },
      { role: 'user', text: 'b', runId: second.runId },
      { role: 'assistant', text: 'again' },
    ]);
  });
});

describe('sessions.update', () => {
  it('changes the title or the pin alone, hides secrets in it, and gives the first words back', async () => {
    const { detent } = await withWrite([{ text: 'one' }], { env: { SHOP_TOKEN: 'hunter2-hunter2' } });
    await detent.run('a', { sessionId: 's' }).result;
    expect(await detent.sessions.update('s', { title: 'Bills hunter2-hunter2' })).toEqual({
      title: 'Bills [redacted:SHOP_TOKEN]',
      pinned: false,
    });
    await detent.sessions.update('s', { pinned: true });
    expect(await detent.sessions.list()).toMatchObject([
      { title: 'Bills [redacted:SHOP_TOKEN]', pinned: true },
    ]);
    await detent.sessions.update('s', { title: null });
    const [plain] = await detent.sessions.list();
    expect(plain).toMatchObject({ pinned: true, prompt: 'a' });
    expect(plain).not.toHaveProperty('title');
    expect(await detent.sessions.show('s')).toMatchObject({ pinned: true });
    for (const title of ['', ' ', 'x'.repeat(201)])
      await expectCode(detent.sessions.update('s', { title }), 'INVALID_ARGUMENTS');
    await expectCode(detent.sessions.update('none', { pinned: true }), 'NOT_FOUND');
    await expectCode(detent.sessions.update('s', { pinned: true, tenantId: 2 }), 'NOT_FOUND');
  });
});

describe('sessions.clear', () => {
  it('lets the next run begin anew, and keeps what was said', async () => {
    const { detent, model } = await withWrite([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await detent.run('a', { sessionId: 's' }).result;
    expect(await detent.sessions.clear('s')).toEqual({ cleared: 2 });
    expect(await detent.sessions.clear('s')).toEqual({ cleared: 0 });
    await detent.run('b', { sessionId: 's' }).result;
    expect(said(model.requests[1]?.messages)).toEqual(['b']);
    const { conversation } = await detent.sessions.show('s');
    expect(conversation.map(({ text, inPrompt }) => [text, inPrompt])).toEqual([
      ['a', false],
      ['one', false],
      ['b', true],
      ['two', true],
    ]);
    expect((await linesOf(detent, 's')).join('\n')).toContain('"text":"a"');
    expect(await detent.sessions.clear('s')).toEqual({ cleared: 2 });
    await detent.run('c', { sessionId: 's' }).result;
    expect(said(model.requests[2]?.messages)).toEqual(['c']);
    for (const { runId } of await detent.runs.list())
      expect(await detent.runs.replay(runId)).toMatchObject({ diverged: null });
  });

  it('is refused while a run is unfinished, and cancels it when told to', async () => {
    const { detent, model } = await withWrite([asks, { text: 'new' }]);
    const parked = detent.run('a', { sessionId: 's' });
    await parked.result;
    const queued = detent.run('b', { sessionId: 's' });
    await queued.started;
    await expectCode(detent.sessions.clear('s'), 'SESSION_BUSY');
    expect((await detent.runs.show(parked.runId)).status).toBe('waiting');
    expect(await detent.sessions.clear('s', { force: true })).toEqual({ cleared: 4 });
    for (const { runId } of [parked, queued])
      expect((await detent.runs.show(runId)).status).toBe('cancelled');
    await detent.run('c', { sessionId: 's' }).result;
    expect(said(model.requests[1]?.messages)).toEqual(['c']);
  });

  it('holds for a fork that is made afterwards', async () => {
    const { detent, model } = await withWrite([{ text: 'one' }, { text: 'two' }, { text: 'other two' }]);
    await detent.run('a', { sessionId: 's' }).result;
    await detent.sessions.clear('s');
    const run = await detent.run('b', { sessionId: 's' }).result;
    const fork = await detent.sessions.fork('s', { runId: run.runId, seq: 1, sessionId: 'fork' });
    expect(fork).toMatchObject({
      sessionId: 'fork',
      open: [{ name: 'effect.callModel', status: 'pending' }],
    });
    await detent.runs.resume({ sessionId: 'fork' });
    expect((await detent.runs.attach(fork.runId).result).text).toBe('other two');
    expect(said(model.requests[2]?.messages)).toEqual(['b']);
  });
});

describe('sessions.fork', () => {
  it('takes a run of that session alone, and a key that is free', async () => {
    const { detent } = await withWrite([{ text: 'one' }, { text: 'two' }]);
    const run = await detent.run('a', { sessionId: 's' }).result;
    const other = await detent.run('b', { sessionId: 't' }).result;
    await expectCode(detent.sessions.fork('s', { runId: other.runId, seq: 1 }), 'NOT_FOUND');
    await expectCode(
      detent.sessions.fork('s', { runId: run.runId, seq: 1, sessionId: 't' }),
      'SESSION_EXISTS',
    );
    await expectCode(detent.sessions.fork('s', { runId: run.runId, seq: 9 }), 'SEQ_OUT_OF_RANGE');
    expect((await detent.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['t', 's']);
  });

  it('carries an imported history with it', async () => {
    const { detent, model } = await withWrite([{ text: 'one' }, { text: 'two' }, { text: 'other' }]);
    await detent.run('a', { sessionId: 's' }).result;
    await detent.sessions.import((await linesOf(detent, 's')).join('\n'), { sessionId: 'copy' });
    const run = await detent.run('b', { sessionId: 'copy' }).result;
    const { runId } = await detent.sessions.fork('copy', { runId: run.runId, seq: 1, sessionId: 'fork' });
    await detent.runs.resume({ sessionId: 'fork' });
    await detent.runs.attach(runId).result;
    expect(said(model.requests[2]?.messages)).toEqual(['a', 'one', 'b']);
    const [first] = await linesOf(detent, 'fork');
    expect(JSON.parse(first ?? '')).toMatchObject({ type: 'system.init', session_id: 'fork', seq: 1 });
  });
});

const canary = 'canary-7f3a9c1e';

/** A session with the canary in its prompt, arguments, results, artifacts, questions and answers; and one without. */
async function withCanary() {
  const workspace = await temporaryWorkspace();
  const calls = [
    { name: 'write', arguments: { word: canary } },
    { name: 'big', arguments: { word: canary } },
  ];
  const { detent } = await withWrite(
    [
      { text: canary, reasoning: canary, toolCalls: calls },
      { text: `${canary} ${'x'.repeat(20_000)}` },
      { text: 'kept' },
      asks,
    ],
    // A database file, unlike in the other tests.
    { workspace, store: undefined } as unknown as DetentOptions,
  );
  const run = detent.run(`${canary}?`, { sessionId: canary });
  await run.result;
  await run.confirm('c2', { verdict: 'reject', reason: canary });
  await run.result;
  await detent.run('something else', { sessionId: 'kept' }).result;
  return { detent, workspace, run };
}

/** Regular files alone: a socket cannot be read. */
function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true }).map(String);
  return all.filter((name) => statSync(join(folder, name)).isFile());
}

/** Files that hold the canary, and tables with rows of a run or session that is not there. */
function traces(workspace: string) {
  const folder = join(workspace, '.detent');
  const files = filesIn(folder).filter((name) => readFileSync(join(folder, name)).includes(canary));
  const db = new Sqlite(join(folder, 'detent.db'), { readonly: true });
  const names = db.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  const orphaned = names.filter((name) => {
    const columns = (db.pragma(`table_info(${name})`) as { name: string }[]).map((column) => column.name);
    const owners = [
      ['run_pk', 'runs'],
      ['session_pk', 'sessions'],
    ].filter(([column]) => columns.includes(column ?? ''));
    return owners.some(
      ([column, owner]) =>
        db
          .prepare(`select 1 from ${name} where ${column} > 0 and ${column} not in (select pk from ${owner})`)
          .get() !== undefined,
    );
  });
  db.close();
  return { files, orphaned };
}

describe('sessions.delete', () => {
  it('leaves no byte of it in the database’s files, while they are open and when they are closed', async () => {
    const { detent, workspace } = await withCanary();
    expect(traces(workspace).files.length).toBeGreaterThan(0);
    expect(await detent.sessions.delete(canary)).toEqual({ runs: 1, messages: 5, erased: true });
    expect(traces(workspace)).toEqual({ files: [], orphaned: [] });
    expect((await detent.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['kept']);
    expect((await detent.sessions.show('kept')).conversation).toMatchObject([
      { text: 'something else' },
      { text: 'kept' },
    ]);
    await detent.close();
    expect(traces(workspace)).toEqual({ files: [], orphaned: [] });
  });

  it('deletes an imported history like any other', async () => {
    const { detent, workspace } = await withCanary();
    const lines = await linesOf(detent, canary);
    await detent.sessions.delete(canary);
    await detent.sessions.import(lines.join('\n'), { sessionId: 'copy' });
    expect(traces(workspace).files.length).toBeGreaterThan(0);
    await detent.sessions.delete('copy');
    expect(traces(workspace)).toEqual({ files: [], orphaned: [] });
  });

  it('says when a reader keeps old pages in the file: they go with it and the last close', async () => {
    const { detent, workspace } = await withCanary();
    const reader = new Sqlite(join(workspace, '.detent', 'detent.db'), { readonly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from runs').get();
    expect(await detent.sessions.delete(canary)).toMatchObject({ erased: false });
    expect(traces(workspace).files).not.toEqual([]);
    reader.close();
    await detent.close();
    expect(traces(workspace)).toEqual({ files: [], orphaned: [] });
  });

  it('is refused while a run is unfinished, and cancels it when told to', async () => {
    const { detent, workspace } = await withCanary();
    const parked = detent.run('write it', { sessionId: canary });
    await parked.result;
    await expectCode(detent.sessions.delete(canary), 'SESSION_BUSY');
    expect((await detent.runs.show(parked.runId)).status).toBe('waiting');
    expect(await detent.sessions.delete(canary, { force: true })).toMatchObject({ runs: 2, erased: true });
    await expectCode(detent.runs.show(parked.runId), 'NOT_FOUND');
    expect(traces(workspace)).toEqual({ files: [], orphaned: [] });
  });

  it('leaves the key free for a session that knows nothing of it', async () => {
    const { detent, model } = await withWrite([{ text: 'one' }, { text: 'two' }]);
    await detent.run('a', { sessionId: 's' }).result;
    expect(await detent.sessions.delete('s')).toEqual({ runs: 1, messages: 2, erased: true });
    await detent.run('b', { sessionId: 's' }).result;
    expect(said(model.requests[1]?.messages)).toEqual(['b']);
  });
});

describe('a session of another tenant', () => {
  it('does not exist, whatever is asked of it', async () => {
    const { detent } = await withWrite([{ text: 'theirs' }]);
    await detent.tenants.create({ name: 'other' });
    const run = detent.run('a', { sessionId: 's', principal: { tenantId: 2 } });
    await run.result;
    const asked = [
      detent.sessions.show('s'),
      detent.sessions.clear('s'),
      detent.sessions.clear('s', { force: true }),
      detent.sessions.delete('s'),
      detent.sessions.delete('s', { force: true }),
      detent.sessions.fork('s', { runId: run.runId, seq: 1 }),
      linesOf(detent, 's'),
    ];
    for (const one of await Promise.allSettled(asked))
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'NOT_FOUND' } });
    expect(await detent.sessions.list()).toEqual([]);
    expect(await detent.sessions.show('s', 2)).toMatchObject({ runs: 1, messages: 2 });
  });

  it('is no hindrance to one of the same name', async () => {
    const { detent } = await withWrite([{ text: 'theirs' }, { text: 'mine' }]);
    await detent.tenants.create({ name: 'other' });
    await detent.run('a', { sessionId: 's', principal: { tenantId: 2 } }).result;
    await detent.sessions.import('{"type":"user.message","text":"a"}', { sessionId: 's' });
    await detent.run('b', { sessionId: 's' }).result;
    expect((await detent.sessions.show('s')).runs).toBe(2);
    await detent.sessions.delete('s');
    await detent.sessions.clear('s', { tenantId: 2 });
    expect((await detent.sessions.show('s', 2)).conversation).toMatchObject([
      { inPrompt: false },
      { inPrompt: false },
    ]);
    const fork = await detent.sessions.fork(
      's',
      { runId: (await detent.runs.list({ tenantId: 2 }))[0]?.runId ?? '', seq: 1 },
      2,
    );
    await expectCode(detent.runs.show(fork.runId), 'NOT_FOUND');
  });
});
