import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions, RunHandle, RunRequest, RunView } from '../../src/index.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { type ScriptedAnswer, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { put } from '../store/rows.ts';
import { gate, temporaryWorkspace, withModel } from '../support/detent.ts';

/** A model that answers each run by the lines of its own first words. */
function voices(scripts: Readonly<Record<string, readonly ScriptLine[]>>) {
  const said = new Map<string, number>();
  const asked: string[] = [];
  const one = scriptedModel(
    Array.from(
      { length: 100 },
      (): ScriptLine =>
        async (request, options): Promise<ScriptedAnswer> => {
          const first = request.messages.find(({ role }) => role === 'user');
          const name = first && 'text' in first ? first.text : '';
          const n = said.get(name) ?? 0;
          said.set(name, n + 1);
          asked.push(name);
          const line = scripts[name]?.[n] ?? { error: { message: `"${name}" has no line ${n}` } };
          return typeof line === 'function' ? line(request, options) : line;
        },
    ),
  );
  return { model: one, asked };
}

const task = (prompt: string, more: object = {}): ScriptedAnswer => ({
  toolCalls: [{ name: 'task', arguments: { prompt, ...more } }],
});

function started(
  scripts: Readonly<Record<string, readonly ScriptLine[]>>,
  options: DetentOptions = {},
  request: RunRequest = {},
) {
  const { model, asked } = voices(scripts);
  const detent = withModel(model, options);
  return { detent, model, asked, run: detent.run('parent', request) };
}

/** The one call of the first step, and what it started. */
const callOf = (view: RunView) => {
  const call = view.steps[0]?.toolCalls[0];
  if (!call) throw new Error(`no call: ${view.status} ${view.error?.message}`);
  return call;
};

async function childOf(detent: Detent, run: RunHandle): Promise<RunView> {
  const { subRun } = callOf(await detent.runs.show(run.runId));
  return detent.runs.show(subRun?.runId ?? 'none');
}

describe('a task', () => {
  it('is a run of its own, whose last words are the result of the call', async () => {
    const { detent, model, run } = started({
      parent: [task('child', { description: 'look' }), { text: 'so it is' }],
      child: [{ text: 'found it' }],
    });
    const view = await run.result;
    const child = await childOf(detent, run);
    expect([view.text, callOf(view)]).toMatchObject([
      'so it is',
      {
        status: 'done',
        result: 'found it',
        subRun: { runId: child.runId, status: 'done', outcome: 'completed' },
      },
    ]);
    expect(child).toMatchObject({
      parentRunId: run.runId,
      parentCall: callOf(view).callId,
      text: 'found it',
    });
    expect(child.sessionId).not.toBe(view.sessionId);
    expect(model.requests[1]?.messages.filter(({ role }) => role !== 'system')).toMatchObject([
      { role: 'user', text: 'child' },
    ]);
    expect(await detent.runs.list()).toMatchObject([
      { runId: child.runId, parentRunId: run.runId },
      { runId: run.runId },
    ]);
  });

  it('counts what it spends, with that of its own tasks, where it was started', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100 };
    const { detent, run } = started({
      parent: [
        { ...task('child'), usage },
        { text: 'end', usage },
      ],
      child: [
        { ...task('grandchild'), usage },
        { text: 'end', usage },
      ],
      grandchild: [{ text: 'end', usage }],
    });
    const view = await run.result;
    expect(callOf(view).subRun?.usage).toEqual({ inputTokens: 3_000, outputTokens: 300, costUsd: null });
    const done = (await detent.runs.events(run.runId)).find(({ event }) => event.type === 'tool.done');
    expect(done?.event).toMatchObject({ cost: { inputTokens: 3_000, outputTokens: 300, costUsd: null } });
    // The ledger knows each call once.
    expect((await detent.usage()).total).toMatchObject({ inputTokens: 5_000 });
  });

  it('gets no more than there is left: steps, tokens and working time', async () => {
    const { detent, run } = started(
      { parent: [task('child', { max_steps: 900 }), { text: 'end' }], child: [{ text: 'end' }] },
      {},
      { limits: { maxSteps: 5, maxTokens: 1_000, timeoutMs: 60_000 } },
    );
    await run.result;
    const child = await childOf(detent, run);
    const lines = await Array.fromAsync(detent.sessions.export(child.sessionId));
    const { input } = lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'detent.run');
    expect(input.limits).toMatchObject({ steps: 4, tokens: 985 });
    expect(input.limits.workMs).toBeLessThanOrEqual(60_000);
  });

  it('that fails is a result with its code and its last words, and the run goes on', async () => {
    const { run, detent } = started({
      parent: [task('child', { max_steps: 1 }), { text: 'then not' }],
      child: [{ text: 'I begin', toolCalls: [{ name: 'datetime' }] }],
    });
    const view = await run.result;
    expect([view.text, callOf(view), (await childOf(detent, run)).outcome]).toMatchObject([
      'then not',
      { status: 'failed', code: 'MAX_STEPS', result: expect.stringContaining('I begin') },
      'max_steps',
    ]);
  });

  it('has the tools of its parent and no others, however it asks', async () => {
    const names = (i: number) => model.requests[i]?.tools.map(({ name }) => name);
    const { model, run } = started(
      {
        parent: [task('child', { tools: ['calculator', 'read_file', '@math'] }), { text: 'end' }],
        child: [task('grandchild', { agent: 'other' }), { text: 'end' }],
        grandchild: [{ text: 'end' }],
      },
      { agents: { other: { tools: ['calculator', 'write_file'] } } },
      { tools: ['calculator', 'datetime', 'task'] },
    );
    await run.result;
    expect([names(0), names(1)]).toEqual([['calculator', 'datetime', 'task'], ['calculator']]);
  });

  it('is done by another agent, which narrows it further', async () => {
    const { model, run, detent } = started(
      { parent: [task('child', { agent: 'poet' }), { text: 'end' }], child: [{ text: 'a verse' }] },
      { agents: { poet: { systemPrompt: 'You rhyme.', tools: ['datetime', 'grep'] } } },
      { tools: ['task', 'datetime'] },
    );
    await run.result;
    expect(model.requests[1]).toMatchObject({ tools: [{ name: 'datetime' }] });
    expect(model.requests[1]?.messages[0]).toMatchObject({ role: 'system', text: 'You rhyme.' });
    expect(await childOf(detent, run)).toMatchObject({ agent: 'poet' });
  });

  it.each([
    ['an agent that there is not', { agent: 'nobody' }, 'UNKNOWN_AGENT'],
    ['a set of tools that there is not', { tools: ['@nope'] }, 'UNKNOWN_TOOLSET'],
  ])('for %s is refused, and none is started', async (_, more, code) => {
    const { run, detent } = started({ parent: [task('child', more), { text: 'end' }] });
    expect(callOf(await run.result)).toMatchObject({ status: 'failed', code });
    expect(await detent.runs.list()).toHaveLength(1);
  });

  it('starts none below the third', async () => {
    const { run, detent, asked } = started({
      parent: [task('one'), { text: 'end' }],
      one: [task('two'), { text: 'end' }],
      two: [task('three'), { text: 'end' }],
      three: [task('four'), { text: 'I do it myself' }],
    });
    await run.result;
    expect(asked).not.toContain('four');
    const [deepest] = (await detent.runs.list()).filter(({ runId }) => runId.split('.').length === 4);
    const view = await detent.runs.show(deepest?.runId ?? '');
    expect(callOf(view)).toMatchObject({ code: 'TASK_TOO_DEEP', status: 'failed' });
  });

  it('has a task of its own where no more than one may run at a time', async () => {
    const { run } = started(
      {
        parent: [task('child'), { text: 'end' }],
        child: [task('grandchild'), { text: 'end' }],
        grandchild: [{ text: 'found' }],
      },
      { tools: { limits: { task: { maxConcurrent: 1 } } } },
    );
    expect(await run.result).toMatchObject({ outcome: 'completed' });
  });

  it('that failed of the network is not asked again, and counted once, where tools are repeated', async () => {
    const error = { code: 'NETWORK_ERROR', message: 'nothing there' };
    const { run, detent } = started(
      { parent: [task('child'), { text: 'end' }], child: [{ toolCalls: [{ name: 'datetime' }] }, { error }] },
      { tools: { limits: { task: { retries: 3 } } } },
    );
    const call = callOf(await run.result);
    expect(call).toMatchObject({ status: 'failed', code: 'TASK_FAILED' });
    const failed = (await detent.runs.events(run.runId)).find(({ event }) => event.type === 'tool.failed');
    expect(failed?.event).toMatchObject({ cost: call.subRun?.usage });
  });

  it('runs alone: the second of one answer begins when the first has ended', async () => {
    const order: string[] = [];
    const line = (name: string) => (): ScriptedAnswer => {
      order.push(name);
      return { text: name };
    };
    const both = [...(task('a').toolCalls ?? []), ...(task('b').toolCalls ?? [])];
    const { run, detent } = started({
      parent: [{ toolCalls: both.map((call, i) => ({ ...call, id: `id${i}` })) }, { text: 'end' }],
      a: [line('a')],
      b: [line('b')],
    });
    const view = await run.result;
    expect([order, view.steps[0]?.toolCalls.map(({ result }) => result)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(await detent.runs.list()).toHaveLength(3);
  });
});

describe('a task whose run is cancelled', () => {
  it('ends with its parent, through all levels', async () => {
    const held = gate();
    const { run, detent } = started({
      parent: [task('child')],
      child: [task('grandchild')],
      grandchild: [
        async (_, { signal }) => {
          await held.pass(signal);
          return { text: 'late' };
        },
      ],
    });
    await held.reached;
    expect(await run.cancel('enough')).toBe(true);
    const all = await detent.runs.list();
    expect(all.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('by itself tells its parent, which goes on', async () => {
    const held = gate();
    const { run, detent } = started({
      parent: [task('child'), { text: 'without it' }],
      child: [
        async (_, { signal }) => {
          await held.pass(signal);
          return { text: 'late' };
        },
      ],
    });
    await held.reached;
    const child = await childOf(detent, run);
    await detent.runs.cancel(child.runId);
    const view = await run.result;
    expect([view.text, callOf(view)]).toMatchObject(['without it', { code: 'TASK_CANCELLED' }]);
  });

  it('is ended by the deadline of its parent', async () => {
    const { run, detent } = started(
      {
        parent: [task('child')],
        child: [() => new Promise<never>(() => {})],
      },
      {},
      { limits: { timeoutMs: 200 } },
    );
    const view = await run.result;
    expect(view.outcome).toBe('deadline');
    const child = await detent.runs.attach(`${run.runId}.c2`).result;
    expect(['failed', 'cancelled']).toContain(child.status);
  });
});

describe('a task that asks a person', () => {
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'b' } };
  const scripts = {
    parent: [task('child'), { text: 'end' }],
    child: [{ toolCalls: [write] }, { text: 'written' }],
  };

  it('makes its parent wait with it, and both go on with the decision', async () => {
    const { run, detent } = started(scripts);
    const notes: unknown[] = [];
    const stop = detent.on(run.runId, (signal) => {
      if (signal.type === 'progress') notes.push(signal.message);
    });
    const view = await run.result;
    stop();
    const child = await childOf(detent, run);
    expect(view).toMatchObject({ status: 'waiting', waitsFor: child.runId, pending: [] });
    expect(notes).toEqual([expect.stringContaining(child.runId)]);
    expect((await detent.runs.list()).map(({ status }) => status)).toEqual(['waiting', 'waiting']);
    const why = await detent.runs.why(run.runId);
    expect([why.cause, why.summary]).toEqual([
      'waiting_for_confirmation',
      expect.stringContaining(child.runId),
    ]);
    expect(why.next.at(-1)?.command).toBe(`detent runs resume ${run.runId}`);
    await detent.runs.confirm(child.runId, child.pending[0]?.callId ?? '', { verdict: 'reject' });
    expect(await run.result).toMatchObject({ status: 'done', text: 'end' });
  });

  it('costs its parent no working time while it waits', async () => {
    const { run, detent } = started(scripts, {}, { limits: { timeoutMs: 600 } });
    await run.result;
    const child = await childOf(detent, run);
    await new Promise((resolve) => setTimeout(resolve, 900));
    await detent.runs.confirm(child.runId, child.pending[0]?.callId ?? '', { verdict: 'reject' });
    const view = await run.result;
    expect([view.outcome, callOf(view).status]).toEqual(['completed', 'done']);
    const events = (await detent.runs.events(run.runId)).map(({ event }) => event.type);
    const isAboutWaiting = (type: string) => type.startsWith('subrun.') || type === 'run.resumed';
    expect(events.filter(isAboutWaiting)).toEqual(['subrun.parked', 'subrun.resumed']);
  });

  it('asks no person when its parent may ask none', async () => {
    const { run, detent } = started(scripts, {}, { approve: 'none' });
    expect((await run.result).status).toBe('done');
    expect(callOf(await childOf(detent, run))).toMatchObject({ code: 'REJECTED_BY_POLICY' });
  });
});

async function lastSeq(detent: Detent, runId: string): Promise<number> {
  return (await detent.runs.events(runId)).at(-1)?.seq ?? 0;
}

describe('a run that another process left at its task', () => {
  it('is resumed with it when a person resumes the run alone', async () => {
    const workspace = await temporaryWorkspace();
    const held = gate();
    const hang: ScriptLine = async (_, { signal }) => {
      await held.pass(signal);
      return { text: 'late' };
    };
    const options = { workspace, store: undefined } as unknown as DetentOptions;
    const { run, detent } = started({ parent: [task('child')], child: [hang] }, options);
    await held.reached;
    await detent.close();
    const scripts = { parent: [{ text: 'end' }], child: [{ text: 'found' }] };
    const second = withModel(voices(scripts).model, options);
    expect(await second.runs.resume({ runId: run.runId })).toEqual([run.runId]);
    const view = await second.runs.attach(run.runId).result;
    expect([view.text, callOf(view).result]).toEqual(['end', 'found']);
  });
});

describe('copies of runs with tasks', () => {
  it('keep the results and have no part in the originals', async () => {
    const { run, detent } = started({
      parent: [task('child'), { text: 'end' }],
      child: [{ text: 'found' }],
    });
    await run.result;
    const child = await childOf(detent, run);
    const forked = await detent.runs.fork(run.runId, { at: await lastSeq(detent, run.runId) });
    expect(callOf(await detent.runs.show(forked.runId))).toMatchObject({ result: 'found' });
    const copied = await detent.runs.fork(child.runId, { at: await lastSeq(detent, child.runId) });
    expect(await detent.runs.show(copied.runId)).not.toHaveProperty('parentRunId');
    for (const { sessionId } of [await detent.runs.show(run.runId), child])
      for await (const line of detent.sessions.export(sessionId)) expect(JSON.parse(line)).toBeTruthy();
  });

  it('taken while the task goes on have one of their own when they are resumed', async () => {
    const held = gate();
    const { run, detent, asked } = started({
      parent: [task('child'), { text: 'end' }, { text: 'end' }],
      child: [
        async (_, { signal }) => {
          await held.pass(signal);
          return { text: 'first' };
        },
        { text: 'second' },
      ],
    });
    await held.reached;
    const forked = await detent.runs.fork(run.runId, { at: await lastSeq(detent, run.runId) });
    await detent.runs.resume({ runId: forked.runId });
    const view = await detent.runs.attach(forked.runId).result;
    expect(callOf(view)).toMatchObject({ result: 'second', subRun: { runId: `${forked.runId}.c2` } });
    held.open();
    expect(callOf(await run.result)).toMatchObject({ result: 'first' });
    expect(asked.filter((name) => name === 'child')).toHaveLength(2);
  });
});

describe('tasks of different tenants', () => {
  it('stay apart', async () => {
    const store = openInMemory();
    const { id: tenantId } = await put(store, 'insertTenant', { name: 'other', workspace: null });
    const { run, detent } = started(
      { parent: [task('child'), { text: 'end' }], child: [{ text: 'found' }] },
      { store },
      { principal: { tenantId } },
    );
    const view = await run.result;
    const id = callOf(view).subRun?.runId ?? '';
    await expect(detent.runs.show(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await detent.runs.show(id, tenantId)).toMatchObject({ status: 'done' });
    expect(await detent.runs.list()).toEqual([]);
  });
});

describe('a session that is deleted', () => {
  it('takes the sessions of its tasks along, and those of theirs', async () => {
    const { detent, run } = started(
      {
        parent: [task('child'), { text: 'done' }],
        child: [task('grandchild'), { text: 'found' }],
        grandchild: [{ text: 'deep' }],
      },
      {},
      { sessionId: 's' },
    );
    await run.result;
    expect(await detent.sessions.list()).toHaveLength(3);
    expect(await detent.sessions.delete('s')).toMatchObject({ runs: 3 });
    expect([await detent.sessions.list(), await detent.runs.list()]).toEqual([[], []]);
  });
});
