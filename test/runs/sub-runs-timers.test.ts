import { expect, it, onTestFinished } from 'vitest';
import { createRunHost, runVersions } from '../../src/agent/run-host.ts';
import type { AgentServices } from '../../src/agent/services.ts';
import { createMachineHosts } from '../../src/engine/machine/machine-hosts.ts';
import type { Detent } from '../../src/index.ts';
import { RowsAt } from '../../src/runs/history/rows-at.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import type { Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock, scriptedModel } from '../../src/testing/index.ts';
import { withModel } from '../support/detent.ts';

const hosts = createMachineHosts(runVersions(createRunHost({} as AgentServices)));
const timeoutMs = 60_000;
const dayMs = 86_400_000;

/** The parent starts a task, the task asks a question; by its conversation each knows what comes next. */
const model = () =>
  scriptedModel(
    Array.from({ length: 10 }, () => ({ messages }: { messages: readonly { role: string }[] }) => {
      if (messages.some(({ role }) => role === 'tool')) return { text: 'end' };
      const isChild = JSON.stringify(messages).includes('child');
      return {
        toolCalls: [
          isChild
            ? { name: 'ask_user', arguments: { question: 'Why?' } }
            : { name: 'task', arguments: { prompt: 'child' } },
        ],
      };
    }),
  );

const program = (store: Store, clock: FakeClock): Detent => withModel(model(), { store, clock });

/** The deadline of the run by its rows and by a fold of its log, and what its log has said of its task. */
async function deadlines(store: Store, runId: string) {
  const row = await store.query('loadRun', { tenant: 1, id: runId });
  if (!row) throw new Error(`no run ${runId}`);
  const events = await store.query('listEvents', { run: row.pk, after: 0, limit: 1_000 });
  const timers = await store.query('listTimers', { run: row.pk });
  const rows = new RowsAt(hosts, row, events, (text) => text);
  for (const event of events) rows.take(event);
  const folded = rows.end();
  return {
    stored: timers.map(({ id, event, dueAt }) => ({ id, event, dueAt })),
    folded: [...folded.timers].map(([id, timer]) => ({ id, ...timer })),
    said: events
      .map(({ type }) => type)
      .filter((type) => type.endsWith('parked') || type.endsWith('resumed')),
  };
}

/** The same once the log has said so much. */
async function told(store: Store, runId: string, times: number) {
  await expect
    .poll(async () => (await deadlines(store, runId)).said, { timeout: 60_000 })
    .toHaveLength(times);
  return deadlines(store, runId);
}

it('the timers of a run whose task waits for a person are those that a fold of its log finds', async () => {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const clock = fakeClock();
  const first = program(store, clock);
  const run = first.run('parent', { limits: { timeoutMs } });
  const { waitsFor = '' } = await run.result;
  const waiting = await deadlines(store, run.runId);
  expect(waiting.said).toEqual(['subrun.parked']);
  expect(waiting.stored[0]?.dueAt).toBeGreaterThan(clock.now() + 365 * dayMs);
  expect(waiting.stored).toEqual(waiting.folded);
  await first.close();

  // The person takes a day, and the process of the run does not live as long.
  await clock.advance(dayMs);
  const second = program(store, clock);
  await second.runs.resume();
  const again = await told(store, run.runId, 3);
  expect(again.said).toEqual(['subrun.parked', 'run.resumed', 'subrun.parked']);
  expect(again.stored[0]?.dueAt).toBeGreaterThan(clock.now() + 365 * dayMs);
  expect(again.stored).toEqual(again.folded);
  await clock.advance(dayMs);
  await second.runs.confirm(waitsFor, 'c2', { verdict: 'answer', answer: 'because' });
  expect(await second.runs.attach(run.runId).result).toMatchObject({ status: 'done', text: 'end' });
  expect((await deadlines(store, run.runId)).said.at(-1)).toBe('subrun.resumed');
});

it('a copy taken while the task waits has the same deadline, and a task of its own when it is resumed', async () => {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const clock = fakeClock();
  const detent = program(store, clock);
  const run = detent.run('parent', { limits: { timeoutMs } });
  await run.result;
  const { stored } = await deadlines(store, run.runId);
  const { runId } = await detent.runs.fork(run.runId, { at: (await detent.runs.events(run.runId)).length });
  expect((await deadlines(store, runId)).stored).toEqual(stored);
  await detent.runs.resume({ runId });
  await told(store, runId, 3);
  const { waitsFor } = await detent.runs.attach(runId).result;
  expect(waitsFor).toBe(`${runId}.c2`);
  await clock.advance(dayMs);
  await detent.runs.confirm(`${runId}.c2`, 'c2', { verdict: 'answer', answer: 'because' });
  expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'done', text: 'end' });
});
