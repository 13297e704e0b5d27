import { describe, expect, it } from 'vitest';
import type { ScriptLine } from '../../src/testing/index.ts';
import { gate, scripted, tool } from '../support/detent.ts';

/** A model whose first answer waits at a gate, and the rest of the script. */
async function busy(
  rest: readonly ScriptLine[],
  first: { text?: string; calls?: string[] } = { text: 'one' },
) {
  const { pass, reached, open } = gate();
  const answer = { text: first.text ?? '', toolCalls: (first.calls ?? []).map((name) => ({ name })) };
  const line: ScriptLine = (_, { signal }) => pass(signal).then(() => answer);
  const made = await scripted([line, ...rest], {
    tools: { define: [tool('look'), tool('write', { sideEffect: 'unsafe' })] },
  });
  const run = made.detent.run('first', { session: 's' });
  await reached;
  return { ...made, run, open };
}

describe('a message to a busy session', () => {
  it('is queued by default, and sees what came before it', async () => {
    const { detent, model, run, open } = await busy([{ text: 'two' }]);
    const second = detent.run('second', { session: 's' });
    await second.started;
    expect((await detent.runs.show(second.runId)).status).toBe('queued');
    open();
    expect([(await run.result).text, (await second.result).text]).toEqual(['one', 'two']);
    expect(model.requests[1]?.messages.map(({ text }) => text).slice(1)).toEqual(['first', 'one', 'second']);
  });

  it('steers when asked to: it joins the run at work, whose handle it gets', async () => {
    const { detent, model, run, open } = await busy([{ text: 'two' }]);
    const second = detent.run('second', { session: 's', mode: 'steer' });
    expect(await second.started).toBe(run.runId);
    expect(second.runId).toBe(run.runId);
    open();
    expect((await second.result).text).toBe('two');
    expect((await detent.runs.list()).length).toBe(1);
    model.assertComplete();
  });

  it('steers calls away that have not begun', async () => {
    const { detent, run, open } = await busy([{ text: 'two' }], { calls: ['look', 'write'] });
    await detent.run('stop', { session: 's', mode: 'steer' }).started;
    open();
    const view = await run.result;
    expect(view.steps[0]?.toolCalls.map(({ status, code }) => [status, code])).toEqual([
      ['skipped', 'SKIPPED'],
      ['skipped', 'SKIPPED'],
    ]);
    expect(view.states).not.toContain('active.awaitingConfirm');
  });

  it('interrupts when asked to: that run is cancelled, and the new one goes on', async () => {
    const { detent, run } = await busy([{ text: 'two' }]);
    const second = detent.run('second', { session: 's', mode: 'interrupt' });
    expect([(await run.result).status, (await second.result).text]).toEqual(['cancelled', 'two']);
  });

  it.each(['queue', 'steer', 'interrupt'] as const)(
    'simply starts a run when the session is free: %s',
    async (mode) => {
      const { detent } = await scripted([{ text: 'one' }]);
      const run = detent.run('first', { session: 's', mode });
      expect(await run.started).toBe(run.runId);
      expect((await run.result).text).toBe('one');
    },
  );

  it('that steers a run which ends at that moment becomes a run of its own', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const { detent, model, open } = await busy([{ text: 'two' }]);
      open();
      for (let i = 0; i < turns; i++) await Promise.resolve();
      const second = detent.run('second', { session: 's', mode: 'steer' });
      expect((await second.result).text).toBe('two');
      expect(model.requests[1]?.messages.at(-1)?.text).toBe('second');
      await detent.close();
    }
  });
});

describe('a session', () => {
  it('keeps its runs in order, however many come at once', async () => {
    const { detent, model } = await scripted(Array.from({ length: 20 }, (_, i) => ({ text: `answer ${i}` })));
    const runs = Array.from({ length: 20 }, (_, i) => detent.run(`question ${i}`, { session: 's' }));
    const views = await Promise.all(runs.map((run) => run.result));
    expect(views.map(({ status }) => status)).toEqual(runs.map(() => 'done'));
    const said =
      model.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .slice(1) ?? [];
    expect(said.filter((text) => text.startsWith('question'))).toHaveLength(20);
    for (let i = 0; i < 19; i++) expect(said[2 * i + 1]).toBe(`answer ${i}`);
  });

  it('of its own is made for a run that names none', async () => {
    const { detent } = await scripted([{ text: 'a' }, { text: 'b' }]);
    await detent.run('one').result;
    await detent.run('two').result;
    const sessions = await detent.sessions.list();
    expect(sessions.map(({ runs }) => runs)).toEqual([1, 1]);
    expect(sessions[0]?.sessionId).toMatch(/^ses_/);
  });

  it('is listed with its runs, newest first', async () => {
    const { detent } = await scripted([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const first = detent.run('one', { session: 's' });
    await first.result;
    const second = detent.run('two', { session: 's' });
    await second.result;
    await detent.run('three', { session: 't' }).result;
    expect((await detent.runs.list({ session: 's' })).map(({ runId }) => runId)).toEqual([
      second.runId,
      first.runId,
    ]);
    expect((await detent.runs.list({ limit: 1 })).map(({ sessionId }) => sessionId)).toEqual(['t']);
    expect(await detent.runs.list({ session: 'nobody' })).toEqual([]);
  });

  it('has its lane kept by a parked run: the next says that it is queued, until a person decides', async () => {
    const write = tool('write', { sideEffect: 'unsafe' });
    const { detent } = await scripted(
      [{ toolCalls: [{ name: 'write' }] }, { text: 'one' }, { text: 'two' }, { text: 'three' }],
      {
        tools: { define: [write] },
      },
    );
    const first = detent.run('first', { session: 's' });
    await first.result;
    const second = detent.run('second', { session: 's' });
    const third = detent.run('third', { session: 's' });
    expect([(await second.result).status, (await third.result).status]).toEqual(['queued', 'queued']);
    await first.confirm('c2', { verdict: 'approve' });
    expect((await third.result).text).toBe('three');
    expect((await second.result).text).toBe('two');
  });

  it('has the third in line wait for the second, not only for the first', async () => {
    const { detent, run, open } = await busy([{ text: 'two' }, { text: 'three' }]);
    const second = detent.run('second', { session: 's' });
    const third = detent.run('third', { session: 's' });
    await Promise.all([second.started, third.started]);
    const result = third.result;
    open();
    await run.result;
    expect(await result).toMatchObject({ status: 'done', text: 'three' });
  });
});
