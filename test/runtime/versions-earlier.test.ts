import { expect, it, onTestFinished } from 'vitest';
import { runMachineVersion } from '../../machines/run.machine.ts';
import { pathOf } from '../../src/engine/machine/decide.ts';
import type { Detent } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { ask } from '../support/ask.ts';
import { modelOptions, tool, withModel } from '../support/detent.ts';
import { loadRun } from '../support/run-rows.ts';
import { firstVersion, secondVersion } from './run-machine-earlier.ts';

const dayMs = 86_400_000;
const putOffMs = 366 * dayMs;
const timeoutMs = 60_000;

/** Asks for the tool that the prompt names, once. */
const model = () =>
  scriptedModel(
    Array.from({ length: 40 }, () => ({ messages }: { messages: readonly { role: string }[] }) => {
      const last = messages.findLastIndex(({ role }) => role === 'user');
      if (messages.slice(last).some(({ role }) => role === 'tool')) return { text: 'end' };
      const [name] = /send|pay|task/.exec(JSON.stringify(messages[last])) ?? [];
      if (name === undefined) return { text: 'end' };
      return { toolCalls: [{ name, arguments: name === 'task' ? { prompt: 'send it' } : {} }] };
    }),
  );

function options(store: Store, clock: FakeClock, pay: () => unknown) {
  const send = tool('send', { sideEffect: 'unsafe', confirm: true });
  const define = [send, tool('pay', { sideEffect: 'unsafe', confirm: false, run: () => pay() as string })];
  return { store, clock, tools: { define } };
}

/** A program with one earlier version alone. */
function oldProgram(store: Store, clock: FakeClock, reports: string[], host = firstVersion): Detent {
  const hang = () => new Promise(() => {});
  const given = {
    ...options(store, clock, hang),
    onError: (error: unknown) => void reports.push(String(error)),
  };
  const detent = assemble(modelOptions(model(), given), { host });
  onTestFinished(() => detent.close());
  return detent;
}

async function reaches(store: Store, id: string, state: string): Promise<void> {
  await expect
    .poll(async () => pathOf(JSON.parse((await store.query('loadRun', { tenant: 1, id }))?.state ?? '""')), {
      timeout: 10_000,
    })
    .toMatch(new RegExp(`${state}$`));
}

/** As version 1 did while a task waited for a person: a row, and no transition. */
async function putOff(store: Store, clock: FakeClock, id: string): Promise<void> {
  const { pk: run, tenant } = await loadRun(store, id);
  const dueAt = clock.now() + putOffMs;
  await store.commit(() => ask('setTimer', { run, tenant, id: 'deadline', event: 'timer.deadline', dueAt }));
}

it('runs of version 1 go on as runs of this one, whatever they wait for, and their logs fold', async () => {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const clock = fakeClock();
  const reports: string[] = [];
  const first = oldProgram(store, clock, reports);
  const ended = first.run('hello');
  await ended.result;
  const request = { limits: { timeoutMs } };
  const asking = first.run('send it', { sessionId: 's', ...request });
  await asking.result;
  const queued = first.run('hello', { sessionId: 's', ...request });
  const parent = first.run('do a task', request);
  const child = `${parent.runId}.c2`;
  await reaches(store, child, 'awaitingConfirm');
  await putOff(store, clock, parent.runId);
  const paying = first.run('pay it', request);
  await reaches(store, paying.runId, 'executing');
  await first.close();
  const second = oldProgram(store, clock, reports);
  await second.runs.resume();
  await reaches(store, paying.runId, 'reconciling');
  await putOff(store, clock, parent.runId);
  await second.close();

  const open = [asking.runId, queued.runId, parent.runId, child, paying.runId];
  const rows = await Promise.all(open.map((id) => loadRun(store, id)));
  expect(rows.map(({ version, state }) => [version, pathOf(JSON.parse(state))])).toEqual([
    [1, 'active.awaitingConfirm'],
    [1, 'idle'],
    [1, 'active.working.tooling.executing'],
    [1, 'active.awaitingConfirm'],
    [1, 'active.reconciling'],
  ]);
  expect(reports).toEqual([]);

  // Long after the deadline that the parent had before it was put off, and long before the one it has.
  await clock.advance(dayMs / 2);
  const detent = withModel(
    model(),
    options(store, clock, () => 'paid'),
  );
  await detent.runs.resume();
  for (const id of open)
    expect(await loadRun(store, id)).toMatchObject({ version: runMachineVersion, ended: 0 });
  await reaches(store, parent.runId, 'executing');
  expect(await detent.runs.attach(parent.runId).result).toMatchObject({ status: 'waiting', waitsFor: child });
  const said = (await detent.runs.events(parent.runId)).map(({ event }) => event.type);
  expect(said.slice(-3)).toEqual(['run.migrated', 'run.resumed', 'subrun.parked']);

  for (const runId of [child, asking.runId]) await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
  await detent.runs.reconcile(paying.runId, 'c2', { verdict: 'retry' });
  for (const id of open)
    expect(await detent.runs.attach(id).result).toMatchObject({ outcome: 'completed', text: 'end' });
  const { spentMs } = JSON.parse((await loadRun(store, parent.runId)).context) as { spentMs: number };
  expect(spentMs).toBeLessThan(timeoutMs);

  expect(await loadRun(store, ended.runId)).toMatchObject({ version: 1, ended: 1 });
  for (const replayed of await detent.runs.replayAll())
    expect(replayed).toMatchObject({ unfolded: 0, diverged: null, error: null });
});

it('a deadline that version 1 put off counts again when a driver finds the task at its end', async () => {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const clock = fakeClock();
  const first = oldProgram(store, clock, []);
  const parent = first.run('do a task', { limits: { timeoutMs } });
  const child = `${parent.runId}.c2`;
  await reaches(store, child, 'awaitingConfirm');
  await putOff(store, clock, parent.runId);
  await first.runs.cancel(child);
  await first.close();
  await clock.advance(dayMs);
  const detent = withModel(
    model(),
    options(store, clock, () => 'paid'),
  );
  await detent.runs.resume();
  expect(await detent.runs.attach(parent.runId).result).toMatchObject({ outcome: 'completed', text: 'end' });
});

it.each([
  [1, firstVersion],
  [2, secondVersion],
])(
  'runs of version %i can be forked, those that have ended too, and the copies go on',
  async (version, host) => {
    const store = openInMemory();
    onTestFinished(() => store.close());
    const clock = fakeClock();
    const first = oldProgram(store, clock, [], host);
    const asking = first.run('send it');
    await asking.result;
    const ended = first.run('hello');
    await ended.result;
    await first.close();
    const detent = withModel(
      model(),
      options(store, clock, () => 'paid'),
    );
    const copies = [
      await detent.runs.fork(asking.runId, { at: 2 }),
      await detent.runs.fork(ended.runId, { at: 1 }),
    ];
    for (const { runId } of copies) expect(await loadRun(store, runId)).toMatchObject({ version, ended: 0 });
    for (const { runId } of copies) await detent.runs.resume({ runId });
    const [waiting, other] = copies;
    await detent.runs.confirm(waiting?.runId ?? '', 'c2', { verdict: 'approve' });
    expect(await detent.runs.attach(waiting?.runId ?? '').result).toMatchObject({ outcome: 'completed' });
    expect(await detent.runs.attach(other?.runId ?? '').result).toMatchObject({ outcome: 'completed' });
    for (const { runId } of copies)
      expect(await loadRun(store, runId)).toMatchObject({ version: runMachineVersion, ended: 1 });
    expect(await loadRun(store, ended.runId)).toMatchObject({ version, ended: 1 });
    for (const replayed of await detent.runs.replayAll())
      expect(replayed).toMatchObject({ unfolded: 0, diverged: null, error: null });
  },
);
