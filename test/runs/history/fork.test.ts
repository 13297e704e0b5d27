import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { createMachineHosts } from '../../../src/engine/machine/machine-hosts.ts';
import { forkAt } from '../../../src/runs/history/fork.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import { randomId } from '../../../src/text/ids.ts';
import { every } from '../../store/rows.ts';
import { coreWith, scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { orderWorkflow } from '../../support/order-workflow.ts';
import { LongRun, standing, tenant } from './long-run.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const pay = tool('pay', { sideEffect: 'unsafe' });
const tools = { define: [pay] };

describe('a fork', () => {
  it('keeps the time that a timer had left', async () => {
    const { detent } = await scripted([call('pay')], { tools });
    const { runId } = await detent.run('go', { limits: { confirmExpiryMs: 60_000 } }).result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    const why = await detent.runs.why(fork.runId);
    expect(why.details.join()).toMatch(/in (59(\.\d)?|60) s, at /);
  });

  it('names its original and the transition in the list of runs, a workflow’s too', async () => {
    const { detent } = await scripted([call('pay')], { tools, workflows: [orderWorkflow] });
    const origins = async (runId: string) => {
      const fork = await detent.runs.fork(runId, { at: 1 });
      const again = await detent.runs.fork(fork.runId, { at: 0 });
      const listed = await detent.runs.list();
      return [runId, fork.runId, again.runId].map((id) => listed.find((one) => one.runId === id)?.forkedFrom);
    };
    for (const run of [detent.run('go'), detent.workflows.start('order', { order: 'o1' })]) {
      const { runId } = await run.result;
      const [none, first, second] = await origins(runId);
      expect([none, first]).toEqual([undefined, { runId, seq: 1 }]);
      expect(second).toMatchObject({ seq: 0 });
      expect(second?.runId).not.toBe(runId);
    }
  });

  it('that waits for a person, and was decided on, is decided', async () => {
    const { detent } = await scripted([call('buy'), { text: 'ok' }], {
      tools: { define: [tool('buy', { sideEffect: 'unsafe' })] },
    });
    const { runId } = await detent.run('go').result;
    const fork = await detent.runs.fork(runId, { at: 2 });
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'waiting' });
    await detent.runs.confirm(fork.runId, 'c2', { verdict: 'approve' });
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'decided' });
  });
});

describe('a fork is refused', () => {
  it('by a program that lacks the version of its machine', async () => {
    const core = await coreWith(scriptedModel([call('pay')]), { tools });
    const runId = await start(core);
    const host: MachineHost = { ...core.hosts.newest('run'), version: 99 };
    const request = { tenant, runId, seq: 1, newId: randomId, at: Date.now() };
    await expect(forkAt(core.store, createMachineHosts([host]), request)).rejects.toMatchObject({
      code: 'MIGRATION_NEEDED',
    });
    expect(await core.store.query('listSessions', { tenant, ...every, limit: 9 })).toHaveLength(1);
  });

  it('when the message to edit is only in a summary by then', async () => {
    const long = new LongRun();
    await long.live();
    const { runId, core } = long;
    const history = await core.history();
    await expect(history.fork({ tenant, runId, seq: 33, editMessage: 'other words' })).rejects.toMatchObject({
      code: 'NO_MESSAGE',
    });
  });

  it('and leaves nothing behind', async () => {
    const workspace = await temporaryWorkspace();
    const options = { workspace, store: undefined as never, database: { file: join(workspace, 'd.db') } };
    const { detent } = await scripted([{ text: 'one' }], options);
    const { runId } = await detent.run('go').result;
    await detent.runs.fork(runId, { at: 1, sessionId: 'taken' });
    await expect(detent.runs.fork(runId, { at: 1, sessionId: 'taken' })).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
    expect(await detent.runs.list()).toHaveLength(2);
  });
});

async function start(core: Awaited<ReturnType<typeof coreWith>>): Promise<string> {
  const { startRequest } = await import('../../../src/runtime/requests/run-request.ts');
  const runId = await core.runs.start(startRequest('go', { model: 'test/script' }, {}, randomId('run')));
  await core.runs.settled(tenant, runId);
  return runId;
}

it('points the prompt of a fork to where it began by then, compacted or not', async () => {
  const long = new LongRun();
  await long.live();
  const { core, runId } = long;
  const history = await core.history();
  const headOf = async (id: string) => {
    const row = await core.runs.row(tenant, id);
    const { headRun, headSeq } =
      (await core.store.query('findSession', { tenant, key: row.sessionKey })) ?? {};
    return [headRun === row.pk ? 'own' : headRun, headSeq];
  };
  const before = await history.fork({ tenant, runId, seq: 30 });
  const after = await history.fork({ tenant, runId, seq: 31 });
  expect([await headOf(before.runId), await headOf(after.runId)]).toEqual([[0, 0], await headOf(runId)]);
  const { messages } = await standing(core.store, await core.runs.row(tenant, after.runId));
  const summary = messages.find(({ role }) => role === 'summary');
  expect(JSON.parse(summary?.body ?? '{}').head.run).toBe(summary?.run);
});
