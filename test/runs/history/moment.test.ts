import { describe, expect, it } from 'vitest';
import { allowedCommands, pathOf } from '../../../src/engine/machine/decide.ts';
import { allowedToPeople } from '../../../src/runs/decisions/decisions.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { scripted, tool, withModel } from '../../support/detent.ts';
import { LongRun, tenant } from './long-run.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const tools = { define: [tool('pay', { sideEffect: 'unsafe' })] };

describe('a run at a transition', () => {
  it('is what its rows were, at every one of its transitions', async () => {
    const long = new LongRun();
    await long.live();
    const { core, runId } = long;
    const history = await core.history();
    const { seq: last } = await core.runs.row(tenant, runId);
    let asked = 0;
    for (const [seq, { row, timers, effects, messages, confirmations }] of long.seen.get(runId) ?? []) {
      const moment = await history.at({ tenant, runId, seq });
      const open = confirmations.filter(({ status }) => status === 'open');
      asked += open.length;
      const host = core.hosts.of(row);
      const snapshot = host.machine.resolveState({
        value: JSON.parse(row.state),
        context: JSON.parse(row.context),
      });
      expect(moment).toMatchObject({
        runId,
        sessionId: 'long',
        seq,
        lastSeq: last,
        path: pathOf(JSON.parse(row.state)),
        ended: row.ended === 1,
        context: JSON.parse(row.context),
        timers: timers.map(({ event, dueAt }) => ({ event, dueAt })).sort((a, b) => a.dueAt - b.dueAt),
        pending: open.map(({ kind, call, hash }) => ({ kind, callId: `c${call}`, argumentsHash: hash })),
        legal: allowedToPeople(allowedCommands(host, snapshot), confirmations, row),
      });
      expect(moment.effects.map(({ effect }) => effect)).toEqual(
        effects.filter(({ status }) => status !== 'done' && status !== 'cancelled').map(({ n }) => n),
      );
      const own = moment.messages.filter((message) => message.runId === runId);
      expect(own.map((message) => [message.seq, message.role])).toEqual(
        messages.filter(({ role }) => role !== 'withdrawn').map((message) => [message.seq, message.role]),
      );
    }
    expect(asked).toBeGreaterThan(0);
  });

  it('has the conversation of that moment, with the earlier runs of its session before it', async () => {
    const { detent } = await scripted([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await detent.run('first', { sessionId: 's' }).result;
    const { runId } = await detent.run('second', { sessionId: 's' }).result;
    await detent.run('third', { sessionId: 's' }).result;
    const words = async (seq: number) => (await detent.runs.at(runId, seq)).messages.map(({ text }) => text);
    expect(await words(0)).toEqual(['first', 'one', 'second']);
    expect(await words(1)).toEqual(['first', 'one', 'second']);
    expect(await words(2)).toEqual(['first', 'one', 'second', 'two']);
  });

  it('before its first transition is idle, and may be cancelled or get a message', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    expect(await detent.runs.at(runId, 0)).toMatchObject({
      path: 'idle',
      ended: false,
      legal: [{ type: 'run.message' }, { type: 'run.cancel' }],
      pending: [],
    });
  });

  it('has the question that was decided later, and what could be decided then', async () => {
    const { detent } = await scripted([call('pay', { usd: 9 }), { text: 'paid' }], { tools });
    const run = detent.run('go');
    const { pending } = await run.result;
    await run.confirm('c2', { verdict: 'modify', arguments: { usd: 1 } });
    const { runId } = await run.result;
    const moment = await detent.runs.at(runId, 2);
    expect(moment.pending).toEqual(pending);
    expect(moment.effects).toEqual([
      { effect: 2, name: 'effect.runTool', status: 'held', callId: 'c2', tool: 'pay' },
    ]);
    expect(moment.legal).toContainEqual({ type: 'confirm.decide', callId: 'c2', verdict: 'approve' });
    expect((await detent.runs.at(runId, 3)).pending).toEqual([]);
  });

  it('says which messages a summary had replaced by then', async () => {
    const long = new LongRun();
    await long.live();
    const { core, runId } = long;
    const events = await core.store.query('listEvents', {
      run: (await core.runs.row(tenant, runId)).pk,
      after: 0,
      limit: 1_000,
    });
    const { seq = 0 } = events.find(({ type }) => type === 'compact.done') ?? {};
    const history = await core.history();
    const left = async (at: number) =>
      (await history.at({ tenant, runId, seq: at })).messages.filter(({ inPrompt }) => !inPrompt).length;
    expect(await left(seq - 1)).toBe(0);
    expect(await left(seq)).toBeGreaterThan(0);
  });

  it('has no secret that the program knows', async () => {
    const model = scriptedModel([call('pay', { key: 'sk-very-secret-1' }), { text: 'ok' }]);
    const detent = withModel(model, { tools, env: { SHOP_KEY: 'sk-very-secret-1' }, secrets: ['SHOP_KEY'] });
    const { runId } = await detent.run('the key is sk-very-secret-1').result;
    expect(JSON.stringify(await detent.runs.at(runId, 2))).not.toContain('sk-very-secret-1');
  });

  it.each([-1, 3, 1.5, Number.NaN, '1' as never])('does not exist at seq %s', async (seq) => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    await expect(detent.runs.at(runId, seq)).rejects.toMatchObject({
      code: 'SEQ_OUT_OF_RANGE',
      details: { runId, first: 0, last: 2 },
    });
  });

  it('is not found by another tenant', async () => {
    const { detent } = await scripted([{ text: 'one' }]);
    const { runId } = await detent.run('go').result;
    await expect(detent.runs.at(runId, 1, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(detent.runs.forkPreview(runId, { at: 1 }, 2)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a job is read like one of an agent, and cannot be forked', async () => {
    const { detent } = await scripted([{ text: 'All is well.' }]);
    const scheduler = createScheduler(detent);
    await scheduler.start();
    await scheduler.add({ jobId: 'stock', every: '1h', prompt: 'What runs out?' });
    await scheduler.run('stock');
    await expect.poll(async () => (await scheduler.history('stock'))[0]?.status).toBe('ok');
    const { jobRunId } = await scheduler.get('stock');
    const { transitions, ways } = await detent.runs.trace(jobRunId);
    for (const { seq, way } of transitions)
      expect((await detent.runs.at(jobRunId, seq)).path, `${seq}`).toBe(ways[way]?.to);
    await expect(detent.runs.forkPreview(jobRunId, { at: 1 })).rejects.toMatchObject({ code: 'RUN_OF_JOB' });
    await expect(detent.runs.fork(jobRunId, { at: 1 })).rejects.toMatchObject({ code: 'RUN_OF_JOB' });
    await scheduler.close();
  });
});
