import { cpSync } from 'node:fs';
import { expect } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import { fakeClock } from '../../src/testing/index.ts';
import { gate, temporaryWorkspace, tool } from '../support/detent.ts';
import { calls, given, payment, processes, resumed, saidTo, when } from './support.ts';

// What an earlier process left goes on where it stood, in a program that can go on with it, and in one process at a time.

/** A run of the session `s` that was at work when its process ended, and a way to open the next process. */
async function left(options: DetentOptions = {}) {
  const open = await processes(options);
  const { pass, reached } = gate();
  const first = open([(_, { signal }) => pass(signal).then(() => ({ text: 'never heard' }))]);
  const { runId } = first.run('hello', { sessionId: 's' });
  await reached;
  await first.close();
  return { open, runId };
}

given('a run that was at work when its process ended', () => {
  when('another process looks at it', 'it is interrupted, and nothing moves it', async () => {
    const { open, runId } = await left();
    const second = open([]);
    expect((await second.runs.show(runId)).status).toBe('interrupted');
    await second.run('other', { sessionId: 't' }).started;
    expect((await second.runs.show(runId)).status).toBe('interrupted');
  });

  when('a process resumes all runs', 'it goes on where it stood', async () => {
    const { open, runId } = await left();
    const second = open([{ text: 'hi' }]);
    expect(await second.runs.resume()).toEqual([runId]);
    expect(await second.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'hi' });
    expect((await second.runs.replay(runId)).diverged).toBeNull();
  });

  when('a prompt comes to its session', 'the run goes on, and the prompt stands behind it', async () => {
    const { open, runId } = await left();
    const second = open([{ text: 'one' }, { text: 'two' }]);
    expect((await second.run('later', { sessionId: 's' }).result).text).toBe('two');
    expect((await second.runs.show(runId)).text).toBe('one');
  });

  when('a prompt steers it', 'it goes on, and has those words', async () => {
    const { open, runId } = await left();
    const second = open([{ text: 'one' }, ({ messages }) => ({ text: saidTo({ messages }).join(', ') })]);
    const joined = second.run('later', { sessionId: 's', mode: 'steer' });
    expect([await joined.started, (await joined.result).text]).toEqual([runId, 'hello, one, later']);
  });

  when('a prompt interrupts it', 'it is cancelled, and the new run takes its place', async () => {
    const { open, runId } = await left();
    const second = open([{ text: 'one' }]);
    expect((await second.run('later', { sessionId: 's', mode: 'interrupt' }).result).text).toBe('one');
    expect((await second.runs.show(runId)).status).toBe('cancelled');
  });

  when('a night passes before it is resumed', 'that time does not count as working time', async () => {
    const clock = fakeClock();
    const { open, runId } = await left({ clock, limits: { timeoutMs: 60_000 } });
    await clock.advance(12 * 3_600_000);
    expect(await resumed(open([{ text: 'hi' }]), runId)).toMatchObject({ status: 'done' });
  });
});

given('a call that was answered before its process ended', () => {
  when('the run is resumed', 'the call does not run again: its result is in the log', async () => {
    const looked: number[] = [];
    const look = tool('look', { run: () => `seen ${looked.push(1)}` });
    const open = await processes({ tools: { define: [look] } });
    const { pass, reached } = gate();
    const first = open([
      calls('look'),
      (_, { signal }) => pass(signal).then(() => ({ text: 'never heard' })),
    ]);
    const { runId } = first.run('look');
    await reached;
    await first.close();
    const view = await resumed(open([({ messages }) => ({ text: messages.at(-1)?.text ?? '' })]), runId);
    expect([view.text, looked.length]).toEqual(['seen 1', 1]);
  });
});

given('a run that needs a tool of its program', () => {
  when('a program without it resumes', 'the run is left alone, and it is said why', async () => {
    const { pay, paid } = payment();
    const errors: unknown[] = [];
    const { open, runId } = await left({ tools: { define: [pay] } });
    const other = open([], { tools: {}, onError: (error) => errors.push(error) });
    expect(await other.runs.resume()).toEqual([]);
    expect(errors).toMatchObject([{ code: 'CANNOT_DRIVE', details: { runId, missing: 'the tool pay' } }]);
    await expect(other.runs.resume({ runId })).rejects.toMatchObject({ code: 'CANNOT_DRIVE' });
    expect((await other.runs.why(runId)).details.join()).toContain('it needs the tool pay');
    await other.close();
    expect((await resumed(open([{ text: 'ok' }]), runId)).text).toBe('ok');
    expect(paid).toEqual([]);
  });

  when('another program decides', 'that is stored for a program that has the tool', async () => {
    const { pay, paid } = payment();
    const open = await processes();
    const first = open([calls('pay')], { tools: { define: [pay] } });
    const { runId } = await first.run('pay').result;
    await first.close();
    const other = open([]);
    expect(await other.runs.confirm(runId, 'c2', { verdict: 'approve' })).toMatchObject({ applied: true });
    expect([(await other.runs.show(runId)).status, paid]).toEqual(['decided', []]);
    await other.close();
    const again = open([{ text: 'done' }], { tools: { define: [pay] } });
    expect([(await resumed(again, runId)).text, paid.length]).toEqual(['done', 1]);
  });
});

given('two processes on one database', () => {
  when('both work at once', 'each sees the runs of both, and drives its own', async () => {
    const open = await processes();
    const [first, second] = [open([{ text: 'hi' }]), open([{ text: 'ho' }])];
    const one = await first.run('hello').result;
    const two = await second.run('hello').result;
    expect([one.text, two.text]).toEqual(['hi', 'ho']);
    for (const detent of [first, second])
      expect((await detent.runs.list()).map(({ runId }) => runId)).toEqual([two.runId, one.runId]);
  });

  when('one resumes what the other drives', 'it takes no run from a process that lives', async () => {
    const open = await processes();
    const { pass, reached, open: release } = gate();
    const first = open([(_, { signal }) => pass(signal).then(() => ({ text: 'mine' }))]);
    const run = first.run('hello');
    await reached;
    const second = open([{ text: 'theirs' }]);
    expect(await second.runs.resume()).toEqual([]);
    expect((await second.runs.show(run.runId)).status).toBe('running');
    release();
    expect((await run.result).text).toBe('mine');
  });

  when('one commands a run of the other', 'the command is delivered once, and answered', async () => {
    const { pay, paid } = payment();
    const open = await processes({ tools: { define: [pay] } });
    const driver = open([calls('pay'), { text: 'done' }]);
    const run = driver.run('pay');
    await run.result;
    const other = open([]);
    expect(await other.runs.confirm(run.runId, 'c2', { verdict: 'approve' })).toMatchObject({
      applied: true,
    });
    expect([(await run.result).text, paid.length]).toEqual(['done', 1]);
  });
});

given('a database that was copied or moved, with an unfinished run', () => {
  when('it is resumed there', 'that is refused until the program adopts it', async () => {
    const from = await temporaryWorkspace();
    const { open, runId } = await left({ workspace: from });
    const workspace = await temporaryWorkspace();
    cpSync(from, workspace, { recursive: true });
    const copy = open([{ text: 'hi' }], { workspace });
    const moved = { code: 'DATABASE_MOVED' };
    expect(await copy.runs.resume()).toEqual([]);
    await expect(copy.runs.resume({ runId })).rejects.toMatchObject(moved);
    await expect(copy.run('next', { sessionId: 's' }).result).rejects.toMatchObject(moved);
    expect((await copy.run('new', { sessionId: 't' }).result).text).toBe('hi');
    await copy.close();
    const adopting = open([{ text: 'ho' }], { workspace, movedDatabase: 'adopt' });
    expect(await resumed(adopting, runId)).toMatchObject({ status: 'done', text: 'ho' });
    // The original still has its own run.
    expect(await resumed(open([{ text: 'hi' }]), runId)).toMatchObject({ status: 'done', text: 'hi' });
  });
});
