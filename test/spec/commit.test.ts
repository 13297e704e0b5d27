import { expect } from 'vitest';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { Store } from '../../src/store/store.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, modelOptions, scripted, tool } from '../support/detent.ts';
import { calls, callsOf, given, payment, processes, waitingToPay, when } from './support.ts';

// Each transition is one commit: the event, the state, and the work that the state asks for. Work begins, and watchers hear
// of it, only after the commit. The log alone is the truth.

given('a run with a call', () => {
  when('it ends', 'its log has each transition once, and gives every state again', async () => {
    const { detent } = await scripted([calls('look'), { text: 'seen' }], {
      tools: { define: [tool('look')] },
    });
    const { runId } = await detent.run('look').result;
    const log = await detent.runs.events(runId);
    expect(log.map(({ seq, event, path }) => [seq, event.type, path])).toEqual([
      [1, 'run.start', 'active.working.thinking.requesting'],
      [2, 'model.done', 'active.working.tooling.executing'],
      [3, 'tool.done', 'active.working.thinking.requesting'],
      [4, 'model.done', 'done'],
    ]);
    expect(await detent.runs.replay(runId)).toMatchObject({ diverged: null });
  });

  when('the call begins', 'the transition that asked for it is in the log already', async () => {
    const seen: string[] = [];
    const look = tool('look', {
      run: async (_, { runId }) => {
        seen.push(...(await made.detent.runs.events(runId)).map(({ event }) => event.type));
        return 'ok';
      },
    });
    const made = await scripted([calls('look'), { text: 'seen' }], { tools: { define: [look] } });
    await made.detent.run('look').result;
    expect(seen).toEqual(['run.start', 'model.done']);
  });

  when('a watcher hears of a transition', 'it is in the log already', async () => {
    const { detent } = await scripted([calls('look'), { text: 'seen' }], {
      tools: { define: [tool('look')] },
    });
    const run = detent.run('look');
    const heard: number[] = [];
    for await (const { type, seq } of run.events)
      if (type === 'transition' && seq !== undefined) {
        heard.push(seq);
        expect((await detent.runs.events(run.runId)).at(seq - 1)?.seq).toBe(seq);
      }
    expect(heard).toEqual([1, 2, 3, 4]);
  });
});

given('a run whose call was decided', () => {
  when('that commit fails', 'the caller is told, and the call does not run: it still waits', async () => {
    const { pay, paid } = payment();
    const store = openInMemory();
    let isFull = false;
    const full = (inner: Store): Store => ({
      ...inner,
      commit: (program) => (isFull ? Promise.reject(new Error('disk full')) : inner.commit(program)),
      query: (name, input) => inner.query(name, input),
      close: async () => {},
    });
    const options = modelOptions(scriptedModel([calls('pay')]), {
      store,
      tools: { define: [pay] },
      onError: () => {},
    });
    const detent = assemble(options, { store: full });
    const run = detent.run('pay');
    await run.result;
    isFull = true;
    await expect(run.confirm('c2', { verdict: 'approve' })).rejects.toThrow('disk full');
    isFull = false;
    expect([paid, (await detent.runs.show(run.runId)).status]).toEqual([[], 'waiting']);
    await detent.close();
    await store.close();
  });
});

given('an answer that asks for four calls', () => {
  when('they end in any order', 'each has exactly one result, in the order of the calls', async () => {
    const gates = [gate(), gate(), gate()];
    const look = tool('look', { run: ({ n }) => gates[Number(n)]?.pass().then(() => `saw ${n}`) });
    const { detent, model } = await scripted(
      [calls(['look', { n: 0 }], ['look', { n: 1 }], 'nothing', ['look', { n: 2 }]), { text: 'done' }],
      { tools: { define: [look] } },
    );
    const run = detent.run('look');
    await Promise.all([gates[0]?.reached, gates[1]?.reached]);
    for (const one of gates.toReversed()) one.open();
    expect(callsOf(await run.result)).toEqual([
      ['done', null],
      ['done', null],
      ['failed', 'UNKNOWN_TOOL'],
      ['done', null],
    ]);
    const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
    expect(results).toEqual(['saw 0', 'saw 1', expect.stringContaining('nothing'), 'saw 2']);
    // Each end is a commit of its own; the refusal of an unknown tool is part of the answer's.
    const log = (await detent.runs.events(run.runId)).map(({ event }) => event.type);
    expect(log).toEqual(['run.start', 'model.done', 'tool.done', 'tool.done', 'tool.done', 'model.done']);
  });
});

given('a run that has ended', () => {
  when('a command comes that it does not take', 'it is refused, and the log stays as it is', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const run = detent.run('go');
    const { runId } = await run.result;
    const before = await detent.runs.events(runId);
    await expect(run.steer('more')).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(await run.cancel()).toBe(false);
    expect(await detent.runs.events(runId)).toEqual(before);
  });
});

given('a request that comes with a key', () => {
  const request = { idempotencyKey: 'order-7' };

  when('it comes again, at once or after a restart', 'it gets the run of the first one', async () => {
    const open = await processes();
    const first = open([{ text: 'one' }]);
    const both = await Promise.all([first.run('buy', request).started, first.run('buy', request).started]);
    const { runId } = await first.run('buy', request).result;
    await first.close();
    const second = open([]);
    expect(await second.run('buy', request).result).toMatchObject({ runId, text: 'one' });
    expect(new Set([...both, runId]).size).toBe(1);
    expect(await second.runs.list()).toHaveLength(1);
  });

  when('it comes again for something else', 'it is refused', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    await detent.run('buy', request).started;
    await expect(detent.run('sell', request).started).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });
});

given('a command that comes with a key', () => {
  when('it comes again', 'it counts once, and gets the answer of the first', async () => {
    const { detent, run, paid } = await waitingToPay();
    const decide = () =>
      detent.runs.confirm(run.runId, 'c2', { verdict: 'approve' }, undefined, { idempotencyKey: 'k' });
    const applied = { applied: true, verdict: 'approve', stands: true };
    expect(await decide()).toEqual(applied);
    await run.result;
    expect(await decide()).toEqual(applied);
    expect(paid).toHaveLength(1);
  });
});

given('a secret that the environment has', () => {
  when('it comes through prompts, calls and results', 'the log never holds it', async () => {
    const secret = 'hunter2-hunter2';
    const look = tool('look', { run: () => `found ${secret}` });
    const { detent } = await scripted([calls(['look', { secret }]), { text: `it is ${secret}` }], {
      env: { MY_TOKEN: secret },
      tools: { define: [look] },
    });
    const { runId, text } = await detent.run(`my token is ${secret}`).result;
    expect(text).toBe('it is [redacted:MY_TOKEN]');
    expect(JSON.stringify(await detent.runs.events(runId))).not.toContain(secret);
  });
});
