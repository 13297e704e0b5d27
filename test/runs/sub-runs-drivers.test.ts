import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { gate, temporaryWorkspace } from '../support/detent.ts';
import { driver, until } from './drivers-support.ts';

const task = { toolCalls: [{ name: 'task', arguments: { prompt: 'look it up' } }] };

function inDatabase<T>(workspace: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(join(workspace, '.detent', 'detent.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/** A run of driver `a` whose task waits for the model, and driver `b`, which then takes the run of the task. */
async function takenTask(lines: { a: readonly ScriptLine[]; b: readonly ScriptLine[] }) {
  const workspace = await temporaryWorkspace();
  const asking = gate();
  const hung: ScriptLine = (_request, { signal }) => asking.pass(signal).then(() => ({ text: 'too late' }));
  const a = driver(workspace, scriptedModel([task, hung, ...lines.a]), { onError() {} });
  const b = driver(workspace, scriptedModel(lines.b), { onError() {} });
  const run = a.run('go');
  const parent = await run.started;
  await asking.reached;
  const child = inDatabase(
    workspace,
    (db) => db.prepare('SELECT id FROM runs WHERE id <> ?').pluck().get(parent) as string,
  );
  // It serves the session of the task alone, so that it does not take the run that started the task.
  await b.runs.resume({ runId: child });
  inDatabase(workspace, (db) =>
    // As if a dead driver had left it: the one that had it last goes first.
    db
      .prepare(
        'UPDATE runs SET driver = NULL, last_driver = (SELECT max(epoch) FROM drivers), updated_at = ? WHERE id = ?',
      )
      .run(Date.now(), child),
  );
  return { workspace, a, b, run, child };
}

const textOf = (call: { result?: unknown } | undefined) => JSON.stringify(call?.result);

describe('the run of a task that another process takes', () => {
  it('is waited for, and its answer is the result of the task', async () => {
    const { run } = await takenTask({
      a: [{ text: 'so it is' }],
      b: [{ text: 'found there' }],
    });
    const view = await run.result;
    expect(view).toMatchObject({ status: 'done', text: 'so it is' });
    expect(textOf(view.steps[0]?.toolCalls[0])).toContain('found there');
  });

  it('is taken back when that process ends before it has an answer', async () => {
    const there = gate();
    const { b, run } = await takenTask({
      a: [{ text: 'found here' }, { text: 'so it is' }],
      b: [(_request, { signal }) => there.pass(signal).then(() => ({ text: 'too late' }))],
    });
    await there.reached;
    await b.close();
    const view = await run.result;
    expect(view).toMatchObject({ status: 'done', text: 'so it is' });
    expect(textOf(view.steps[0]?.toolCalls[0])).toContain('found here');
  });

  it('is waited for by a third process that takes the run which started it', async () => {
    const there = gate();
    const { workspace, a, run, child } = await takenTask({
      a: [],
      b: [() => there.pass().then(() => ({ text: 'found there' }))],
    });
    run.result.catch(() => {});
    const { sessionId } = await a.runs.show(run.runId);
    await there.reached;
    const c = driver(workspace, scriptedModel([{ text: 'so it is' }]));
    await a.close();
    await c.runs.resume({ sessionId });
    await until(
      () => c.runs.show(run.runId),
      ({ status }) => status === 'running',
    );
    there.open();
    expect(await c.runs.attach(run.runId).result).toMatchObject({ status: 'done', text: 'so it is' });
    expect(await c.runs.show(child)).toMatchObject({ status: 'done', text: 'found there' });
  });

  it('is taken by such a process, too, when that which had it ends', async () => {
    const there = gate();
    const { workspace, a, b, run } = await takenTask({
      a: [],
      b: [(_request, { signal }) => there.pass(signal).then(() => ({ text: 'too late' }))],
    });
    run.result.catch(() => {});
    const { sessionId } = await a.runs.show(run.runId);
    await there.reached;
    const c = driver(workspace, scriptedModel([{ text: 'found by the third' }, { text: 'so it is' }]));
    await c.runs.resume({ sessionId });
    await a.close();
    await b.close();
    const view = await c.runs.attach(run.runId).result;
    expect(view).toMatchObject({ status: 'done', text: 'so it is' });
    expect(textOf(view.steps[0]?.toolCalls[0])).toContain('found by the third');
  });
});
