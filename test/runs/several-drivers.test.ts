import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DriverOwnership } from '../../src/cluster/driver-ownership.ts';
import { openStore } from '../../src/runtime/parts/store.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { waitingFor } from '../store/rows.ts';
import { gate, temporaryWorkspace, tool } from '../support/detent.ts';
import { driver, until } from './drivers-support.ts';

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args }] });

/** Changes rows as another process does. */
function change(workspace: string, ...statements: string[]): void {
  const db = new Sqlite(join(workspace, '.detent', 'detent.db'));
  db.transaction(() => statements.forEach((sql) => void db.prepare(sql).run()))();
  db.close();
}

describe('a driver that another process took for dead', () => {
  const burial = [
    'UPDATE drivers SET ended_at = 1 WHERE epoch = 1',
    'UPDATE runs SET driver = NULL WHERE driver = 1 AND ended = 0',
  ];

  it('joins anew for the next run that it is asked for', async () => {
    const workspace = await temporaryWorkspace();
    const a = driver(workspace, scriptedModel([{ text: 'done' }]));
    await a.runs.resume();
    change(workspace, ...burial);
    expect(await a.run('go').result).toMatchObject({ status: 'done' });
  });

  it('joins anew once, also when several runs are asked for at once', async () => {
    const workspace = await temporaryWorkspace();
    const a = driver(workspace, scriptedModel(Array.from({ length: 5 }, () => ({ text: 'done' }))));
    await a.runs.resume();
    change(workspace, ...burial);
    const views = await Promise.all(Array.from({ length: 5 }, () => a.run('go').result));
    expect(views.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'done'));
    await a.runs.resume();
    const db = new Sqlite(join(workspace, '.detent', 'detent.db'), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM drivers WHERE ended_at IS NULL').pluck().get()).toBe(1);
    db.close();
  });

  it('goes on with its runs when no other has taken them', async () => {
    const workspace = await temporaryWorkspace();
    const asking = gate();
    let asked = 0;
    const line: ScriptLine = (_request, { signal }) => {
      asked++;
      return asked === 1 ? asking.pass(signal).then(() => ({ text: 'too late' })) : { text: 'done' };
    };
    const a = driver(workspace, scriptedModel([line, line]), { onError() {} });
    const run = a.run('go');
    run.result.catch(() => {});
    const runId = await run.started;
    await asking.reached;
    change(workspace, ...burial);
    await until(
      () => a.runs.show(runId),
      ({ status }) => status === 'done',
    );
    expect(asked).toBe(2);
  });

  it('executes no unsafe call a second time', async () => {
    const workspace = await temporaryWorkspace();
    const paying = gate();
    let paid = 0;
    const pay = tool('pay', {
      sideEffect: 'unsafe',
      confirm: false,
      run: () => {
        paid++;
        return paying.pass().then(() => 'paid');
      },
    });
    const tools = { define: [pay] };
    const a = driver(workspace, scriptedModel([call('pay')]), { tools, onError() {} });
    const b = driver(workspace, scriptedModel([{ text: 'done' }]), { tools });
    const runId = await a.run('go').started;
    await paying.reached;
    await b.runs.resume();
    change(workspace, ...burial);
    const shown = await until(
      () => b.runs.show(runId),
      ({ pending }) => pending.length > 0,
    );
    expect(shown.pending).toMatchObject([{ kind: 'reconcile' }]);
    paying.open();
    await b.runs.reconcile(runId, shown.pending[0]?.callId ?? '', { verdict: 'ran', result: 'paid' });
    await until(
      () => b.runs.show(runId),
      ({ status }) => status === 'done' || status === 'failed',
    );
    expect(paid).toBe(1);
  });
});

describe('a call that is asked about again, because its process died', () => {
  it('keeps who approved it, and a second approval comes too late', async () => {
    const workspace = await temporaryWorkspace();
    const paying = gate();
    const pay = tool('pay', {
      sideEffect: 'unsafe',
      confirm: true,
      run: () => paying.pass().then(() => 'paid'),
    });
    const tools = { define: [pay] };
    const a = driver(workspace, scriptedModel([call('pay')]), { tools, onError() {} });
    const b = driver(workspace, scriptedModel([{ text: 'done' }]), { tools });
    const run = a.run('go', { sessionId: 's' });
    const [asked] = (await run.result).pending;
    const callId = asked?.callId ?? '';
    await run.confirm(callId, { verdict: 'approve', by: 'ada' });
    await paying.reached;
    await a.close();
    await b.runs.resume();
    const again = b.runs.attach(run.runId);
    expect((await again.result).pending).toMatchObject([{ kind: 'reconcile', callId }]);
    const late = { applied: false, verdict: 'approve', stands: true };
    expect(await again.confirm(callId, { verdict: 'approve', by: 'bob' })).toEqual(late);
    await b.runs.reconcile(run.runId, callId, { verdict: 'skip' });
    expect(await again.result).toMatchObject({ status: 'done' });
    expect(await again.confirm(callId, { verdict: 'approve', by: 'eve' })).toEqual(late);
    const decisions: unknown[] = [];
    for await (const line of b.sessions.export('s')) {
      const { type, confirmation } = JSON.parse(line);
      if (type === 'detent.confirmation') decisions.push(confirmation);
    }
    expect(decisions).toMatchObject([
      { kind: 'confirm', status: 'approved', decision: { verdict: 'approve', by: 'ada' } },
      { kind: 'reconcile', status: 'settled', decision: { verdict: 'skip' } },
    ]);
  });
});

describe('a run whose driver is gone', () => {
  it('is waited for by a process that will take it', async () => {
    const workspace = await temporaryWorkspace();
    const asking = gate();
    const line = () => asking.pass().then(() => ({ text: 'done' }));
    const a = driver(workspace, scriptedModel([line, line, line]), { onError() {} });
    const b = driver(workspace, scriptedModel([line, line]));
    const runId = await a.run('go').started;
    await asking.reached;
    await b.runs.resume();
    const result = b.runs.attach(runId).result;
    await new Promise((resolve) => setTimeout(resolve, 150));
    change(workspace, 'UPDATE runs SET driver = NULL');
    setTimeout(() => asking.open(), 150);
    expect(await result).toMatchObject({ status: 'done' });
  });

  it('is taken once by five that resume at once', async () => {
    const workspace = await temporaryWorkspace();
    const asked: string[] = [];
    const model = () =>
      scriptedModel(
        Array.from({ length: 8 }, () => ({ messages }) => {
          asked.push(messages.findLast(({ role }) => role === 'user')?.text ?? '');
          return { text: 'done' };
        }),
      );
    const asking = gate();
    const stopped = Array.from({ length: 8 }, () => () => asking.pass().then(() => ({ text: 'too late' })));
    const first = driver(workspace, scriptedModel(stopped), { onError() {} });
    for (let i = 0; i < 8; i++) await first.run(`go ${i}`, { sessionId: `s${i}` }).started;
    await asking.reached;
    await first.close();
    const five = Array.from({ length: 5 }, () => driver(workspace, model()));
    await Promise.all(five.map((one) => one.runs.resume()));
    const [one] = five;
    const all = await until(
      async () => (await one?.runs.list()) ?? [],
      (runs) => runs.every(({ status }) => status === 'done'),
    );
    expect(all).toHaveLength(8);
    expect(asked.toSorted()).toEqual(Array.from({ length: 8 }, (_, i) => `go ${i}`));
  });
});

describe('commands of two processes at once', () => {
  it('decide a call once, and both callers learn which decision counts', async () => {
    const workspace = await temporaryWorkspace();
    const tools = { define: [tool('send', { confirm: true })] };
    const busy = gate();
    const script = [{ toolCalls: [{ name: 'send' }, { name: 'wait' }] }, { text: 'done' }];
    const wait = tool('wait', { run: () => busy.pass().then(() => 'ok') });
    const both = { define: [...tools.define, wait] };
    const a = driver(workspace, scriptedModel(script), { tools: both });
    const others = [0, 1].map(() => driver(workspace, scriptedModel([]), { tools: both }));
    const runId = await a.run('go').started;
    const { pending } = await until(
      () => a.runs.show(runId),
      (shown) => shown.pending.length > 0,
    );
    const [asked] = pending;
    const decided = await Promise.all(
      others.map((one, i) =>
        one.runs.confirm(runId, asked?.callId ?? '', {
          verdict: i === 0 ? 'approve' : 'reject',
          hash: asked?.argumentsHash ?? '',
        }),
      ),
    );
    busy.open();
    expect(decided.map(({ applied }) => applied).toSorted()).toEqual([false, true]);
    expect(decided[0]?.verdict === 'approve').toBe(decided[1]?.verdict === 'approve');
    await until(
      () => a.runs.show(runId),
      ({ status }) => status === 'done',
    );
  });
});

describe('a driver that closes', () => {
  it('leaves the commands to it, which their callers then deliver', async () => {
    const workspace = await temporaryWorkspace();
    const asking = gate();
    const a = driver(workspace, scriptedModel([() => asking.pass().then(() => ({ text: 'late' }))]), {
      onError() {},
    });
    const b = driver(workspace, scriptedModel(Array.from({ length: 3 }, () => ({ text: 'done' }))));
    const runId = await a.run('go').started;
    await asking.reached;
    const [steered] = await Promise.all([b.runs.steer(runId, 'be quick').then(() => true), a.close()]);
    expect(steered).toBe(true);
    await b.runs.resume({ runId });
    const view = await b.runs.attach(runId).result;
    expect(view.status).toBe('done');
    expect(JSON.stringify(await b.sessions.show(view.sessionId)).split('be quick')).toHaveLength(2);
  });
});

describe('a command whose sender was killed', () => {
  it('is delivered by the next process that looks after the run, also when its driver has gone', async () => {
    const workspace = await temporaryWorkspace();
    const tools = { define: [tool('send', { confirm: true })] };
    const a = driver(workspace, scriptedModel([call('send')]), { tools });
    const { runId } = await a.run('go').result;
    await a.close();
    change(
      workspace,
      `INSERT INTO commands (tenant_id, run_pk, kind, body, made_at) VALUES (1, 1, 'cancel', '{"reason":"enough"}', 1)`,
    );
    const b = driver(workspace, scriptedModel([]), { tools });
    await b.runs.resume();
    const { status } = await until(
      () => b.runs.show(runId),
      (shown) => shown.status !== 'waiting',
    );
    expect(status).toBe('cancelled');
  });
});

describe('a process that closes while it waits for the driver of a run', () => {
  it('takes its command back', async () => {
    const workspace = await temporaryWorkspace();
    const a = driver(workspace, scriptedModel([call('send')]), {
      tools: { define: [tool('send', { confirm: true })] },
    });
    const runId = (await a.run('go').result).runId;
    await a.close();
    // One that does not answer.
    const silent = await openStore({}, join(workspace, '.detent', 'detent.db'));
    onTestFinished(() => silent.close());
    change(workspace, `UPDATE runs SET driver = ${await silent.ownership.join()}`);
    const b = driver(workspace, scriptedModel([]));
    const cancelled = b.runs.cancel(runId);
    cancelled.catch(() => {});
    const open = () => waitingFor(silent.store, 1);
    await until(open, (commands) => commands.length === 1);
    await b.close();
    await expect(cancelled).rejects.toMatchObject({ code: 'CLOSED' });
    expect(await open()).toEqual([]);
  });
});

describe('a driver that delivers a cancel to a run with a task', () => {
  it('delivers other commands while the process that drives the task does not answer', async () => {
    const workspace = await temporaryWorkspace();
    const asking = gate();
    const script = [
      call('task', { prompt: 'look it up' }),
      call('send'),
      () => asking.pass().then(() => ({ text: 'late' })),
    ];
    const tools = { define: [tool('send', { confirm: true })] };
    const a = driver(workspace, scriptedModel(script), { tools, onError() {} });
    const b = driver(workspace, scriptedModel([]), { tools });
    const parent = await a.run('go', { sessionId: 'one' }).started;
    // Another process has decided for the task, and drives it.
    await until(
      () => a.runs.list({ status: ['waiting'] }),
      (runs) => runs.some(({ parentRunId }) => parentRunId === parent),
    );
    const other = await a.run('go', { sessionId: 'two' }).started;
    await asking.reached;
    const silent = await openStore({}, join(workspace, '.detent', 'detent.db'));
    onTestFinished(() => silent.close());
    const epoch = await silent.ownership.join();
    change(workspace, `UPDATE runs SET driver = ${epoch} WHERE id NOT IN ('${parent}', '${other}')`);
    expect(await b.runs.cancel(parent)).toBe(true);
    // DRIVER_SILENT, if its driver waited for that of the task.
    expect(await b.runs.cancel(other)).toBe(true);
    asking.open();
  });
});

describe('a run behind one of another driver', () => {
  it.each([1, 2, 3, 4])('waits for its turn also if that dies between two looks at it, %i', async (looks) => {
    const workspace = await temporaryWorkspace();
    const asking = gate();
    const line: ScriptLine = (_request, { signal }) => asking.pass(signal).then(() => ({ text: 'first' }));
    const a = driver(workspace, scriptedModel([line]));
    const first = a.run('go', { sessionId: 's' });
    await asking.reached;
    let seen = 0;
    const seemsAlive = vi.spyOn(DriverOwnership.prototype, 'seemsAlive');
    onTestFinished(() => void seemsAlive.mockRestore());
    seemsAlive.mockImplementation(() => seen++ < looks);
    const b = driver(workspace, scriptedModel([{ text: 'second' }]));
    const second = b.run('and then', { sessionId: 's' });
    await second.started;
    const { result } = second;
    await until(
      () => seen,
      (times) => times > looks,
    );
    asking.open();
    expect(await first.result).toMatchObject({ status: 'done' });
    expect(await result).toMatchObject({ status: 'done', text: 'second' });
  });
});
