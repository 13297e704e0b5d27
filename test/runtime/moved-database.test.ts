import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDetent, type Detent, type DetentOptions } from '../../src/index.ts';
import { createScheduler } from '../../src/schedule/index.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';

let base: string;
const opened: Detent[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'detent-moved-'));
});
afterEach(async () => {
  for (const detent of opened.splice(0)) await detent.close();
});

const at = (...names: string[]) => join(base, ...names);
const write = (path: string): ScriptLine => ({
  toolCalls: [{ name: 'write_file', arguments: { path, content: 'written' } }],
});
const done: ScriptLine = { text: 'done' };

function open(folder: string, script: readonly ScriptLine[], options: DetentOptions = {}): Detent {
  mkdirSync(at(folder), { recursive: true });
  const detent = createDetent({
    workspace: at(folder),
    env: {},
    model: 'test/script',
    models: { test: scriptedModel(script) },
    ...options,
  });
  opened.push(detent);
  return detent;
}

/** A project with a run that waits for the approval of a call; closed. */
async function waitingRun(script: readonly ScriptLine[] = [write('a.txt')]): Promise<string> {
  const detent = open('proj', script);
  const run = detent.run('go', { sessionId: 's' });
  expect(await run.result).toMatchObject({ status: 'waiting' });
  await detent.close();
  return run.runId;
}

const copy = () => cpSync(at('proj'), at('proj2'), { recursive: true });

describe('a run', () => {
  it('works in the workspace that is open, not in the one that its row names', async () => {
    const runId = await waitingRun();
    renameSync(at('proj'), at('proj2'));
    const detent = open('proj2', [done], { movedDatabase: 'adopt' });
    await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
    await detent.runs.resume({ runId });
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done' });
    expect(readFileSync(at('proj2', 'a.txt'), 'utf8')).toBe('written');
    expect(existsSync(at('proj'))).toBe(false);
  });
});

describe('in a copy of a database', () => {
  it('a decision that is made here is recorded, and moves nothing before the run is taken over', async () => {
    const runId = await waitingRun();
    copy();
    const detent = open('proj2', []);
    expect(await detent.runs.confirm(runId, 'c2', { verdict: 'approve' })).toMatchObject({ applied: true });
    await expect(detent.runs.resume({ runId })).rejects.toMatchObject({ code: 'DATABASE_MOVED' });
    expect(existsSync(at('proj2', 'a.txt'))).toBe(false);
  });

  it('a process that resumes all runs, or runs the schedule, starts, and says once why some stay at rest', async () => {
    const first = open('proj', [write('a.txt'), write('a.txt')]);
    for (const prompt of ['go', 'go, too']) await first.run(prompt).result;
    await first.close();
    copy();
    const told: unknown[] = [];
    const detent = open('proj2', [], { onError: (error) => void told.push(error) });
    expect(await detent.runs.resume()).toEqual([]);
    expect(told).toEqual([expect.objectContaining({ code: 'DATABASE_MOVED' })]);
    const scheduler = createScheduler(detent);
    await scheduler.start();
    expect(told).toHaveLength(2);
    await scheduler.close();
  });

  it.each([false, true])('"why" says which command takes a run over: readonly %s', async (readonly) => {
    const runId = await waitingRun();
    copy();
    const { next, details } = await open('proj2', [], { readonly }).runs.why(runId);
    expect(next.map(({ command }) => command)).toContain(`detent runs resume ${runId} --here`);
    expect(details.join()).toContain('the database was moved or copied');
  });

  it('a fork of such a run is not resumed, either', async () => {
    const runId = await waitingRun();
    copy();
    const detent = open('proj2', []);
    const fork = await detent.runs.fork(runId, { at: 1 });
    await expect(detent.runs.resume({ runId: fork.runId })).rejects.toMatchObject({ code: 'DATABASE_MOVED' });
  });

  it('it can be cancelled, and then its session goes on', async () => {
    const runId = await waitingRun();
    copy();
    const detent = open('proj2', [done]);
    expect(await detent.runs.cancel(runId)).toBe(true);
    expect(await detent.run('next', { sessionId: 's' }).result).toMatchObject({ status: 'done' });
  });

  it('a grant for the session does not count', async () => {
    const first = open('proj', [write('a.txt'), done]);
    const run = first.run('go', { sessionId: 's' });
    await run.result;
    await run.confirm('c2', { verdict: 'approve', grant: {} });
    await run.result;
    await first.close();
    copy();
    const detent = open('proj2', [write('a.txt'), done]);
    expect(await detent.run('again', { sessionId: 's' }).result).toMatchObject({ status: 'waiting' });
    expect(await detent.sessions.grants('s')).toEqual([]);
    const original = open('proj', [write('a.txt'), done]);
    expect(await original.run('again', { sessionId: 's' }).result).toMatchObject({ status: 'done' });
  });

  it('runs that begin there work as anywhere, also in a later process', async () => {
    await waitingRun();
    copy();
    const first = open('proj2', [write('b.txt')]);
    const run = first.run('go');
    expect(await run.result).toMatchObject({ status: 'waiting' });
    await first.close();
    const second = open('proj2', [done]);
    await second.runs.confirm(run.runId, 'c2', { verdict: 'approve' });
    await second.runs.resume({ runId: run.runId });
    expect(await second.runs.attach(run.runId).result).toMatchObject({ status: 'done' });
    expect(existsSync(at('proj2', 'b.txt'))).toBe(true);
  });
});

describe('a database', () => {
  it('is not moved when it is where it was: after a restart, and restored from a backup', async () => {
    const runId = await waitingRun();
    cpSync(at('proj'), at('backup'), { recursive: true });
    renameSync(at('proj'), at('lost'));
    renameSync(at('backup'), at('proj'));
    const detent = open('proj', [done]);
    await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
    await detent.runs.resume({ runId });
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done' });
  });

  it('that came back is as it was', async () => {
    const runId = await waitingRun();
    renameSync(at('proj'), at('proj2'));
    const there = open('proj2', [done]);
    await there.run('other').result;
    await there.close();
    renameSync(at('proj2'), at('proj'));
    const detent = open('proj', [done]);
    await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
    await detent.runs.resume({ runId });
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done' });
  });
});
