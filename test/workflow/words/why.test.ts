import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { and, setup } from 'xstate';
import { z } from 'zod';
import { createMachineHosts } from '../../../src/engine/machine/machine-hosts.ts';
import { readEvidence } from '../../../src/runs/history/why/evidence.ts';
import { explainRun } from '../../../src/runs/history/why/why.ts';
import { ask } from '../../../src/runs/rows/statements.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { fakeClock, scriptedModel } from '../../../src/testing/index.ts';
import { step, type Workflow, workflow } from '../../../src/workflow/index.ts';
import { scripted, temporaryWorkspace, withModel } from '../../support/detent.ts';
import { dead, isDriven, service, writeWorkflow } from '../../support/run-rows.ts';

const booking = workflow(
  setup({
    actors: {
      book: step({
        sideEffect: 'readonly',
        run: () => {
          throw new Error('no room is left');
        },
      }),
    },
  }).createMachine({
    id: 'booking',
    initial: 'waiting',
    states: {
      waiting: { on: { go: 'booking', stop: 'over' }, after: { 3600000: 'over' } },
      booking: { invoke: { id: 'hotel', src: 'book' } },
      over: { type: 'final' },
    },
  }),
);

/** The same version of it, in which other states have other events. */
const edited = workflow(
  setup({}).createMachine({
    id: 'booking',
    initial: 'asking',
    states: { asking: { on: { go: 'over' } }, waiting: { on: { other: 'over' } }, over: { type: 'final' } },
  }),
);

async function waiting() {
  const { detent } = await scripted([], { workflows: [booking] });
  const { runId } = await detent.workflows.start(booking, undefined as never).result;
  return { detent, runId };
}

describe('why', () => {
  it('a workflow waits for events and the clock: which, until when, and how to send one', async () => {
    const { detent, runId } = await waiting();
    expect(await detent.runs.why(runId)).toMatchObject({
      status: 'waiting',
      cause: 'waiting_for_event',
      summary: expect.stringMatching(
        /^it is in "waiting" and is waiting for an event: go, stop, or after 60 min \(in /,
      ),
      next: [
        { command: `detent workflow send ${runId} go` },
        { command: `detent workflow send ${runId} stop` },
        { command: `detent runs cancel ${runId}` },
      ],
    });
  });

  it('a workflow takes an event by its payload: with the guard that decides, and the fields', async () => {
    const bill = workflow(
      setup({
        types: { events: {} as { type: 'paid'; amount: number; by: string } | { type: 'sent' } },
        guards: {
          isEnough: ({ event }) => event.type === 'paid' && event.amount >= 10,
          isLong: ({ event }) => (event as unknown as { note: string }).note.length > 3,
        },
      }).createMachine({
        id: 'bill',
        initial: 'open',
        states: {
          open: {
            on: {
              paid: { guard: 'isEnough', target: 'over' },
              sent: { guard: and(['isLong']), target: 'over' },
            },
            after: { 3600000: 'over' },
          },
          over: { type: 'final' },
        },
      }),
      { events: { paid: z.object({ type: z.literal('paid'), amount: z.number(), by: z.string() }) } },
    );
    const { detent } = await scripted([], { workflows: [bill] });
    const { runId } = await detent.workflows.start(bill, undefined as never).result;
    const { summary, next } = await detent.runs.why(runId);
    expect(summary).toContain('for an event: paid (if isEnough), sent (if isLong), or');
    const command = `detent workflow send ${runId} paid --data '{"amount":NUMBER,"by":"TEXT"}'`;
    expect(next[0]).toMatchObject({ command, step: { does: 'send', runId, type: 'paid' } });
    expect(await detent.runs.allowed(runId)).toEqual([
      { type: 'run.cancel' },
      { type: 'paid', guard: 'isEnough', data: '{"amount":NUMBER,"by":"TEXT"}' },
      { type: 'sent', guard: 'isLong' },
    ]);
    expect(await detent.workflows.send(runId, { type: 'paid', amount: 9, by: 'Ada' })).toBe(false);
  });

  it('a timer is overdue, as no process took it: by how long, and a resume takes it', async () => {
    const workspace = await temporaryWorkspace();
    const openAt = (startMs: number) =>
      withModel(scriptedModel([]), {
        ...{ workspace, store: undefined as never, database: { file: join(workspace, 'kept.db') } },
        ...{ workflows: [booking], clock: fakeClock(startMs) },
      });
    const first = openAt(0);
    const { runId } = await first.workflows.start(booking, undefined as never).result;
    await first.close();
    const later = openAt(2 * 3_600_000);
    const { summary, details, next } = await later.runs.why(runId);
    expect(summary).toContain('or after 60 min (overdue by 60 min, at ');
    expect(details).toEqual(['the time of its timer has passed, and no process was running then']);
    expect(next[0]).toMatchObject({ command: `detent runs resume ${runId}`, step: { does: 'goOn' } });
    await later.close();
  });

  it('a workflow failed: which invocation, with what, and where to fork', async () => {
    const { detent, runId } = await waiting();
    await detent.workflows.send(runId, { type: 'go' });
    expect(await detent.runs.attach(runId).result).toMatchObject({ status: 'failed', outcome: 'failed' });
    const why = await detent.runs.why(runId);
    expect(why).toMatchObject({
      cause: 'service_failed',
      summary:
        '"hotel" failed in "booking", and no onError of its chart handles this: SERVICE_FAILED: no room is left',
      next: [{ command: `detent runs fork ${runId} --at 2` }],
    });
    expect(why.chain.map(({ event }) => event)).toEqual(['go', 'hotel failed']);
    const fork = await detent.runs.fork(runId, { at: 1 });
    expect(await detent.runs.show(fork.runId)).toMatchObject({ status: 'unstarted' });
  });

  it('a workflow whose chart was edited since: only what its log says, in the states of its own chart', async () => {
    const workspace = await temporaryWorkspace();
    const open = (chart: Workflow) =>
      withModel(scriptedModel([]), {
        ...{ workspace, store: undefined as never, database: { file: join(workspace, 'kept.db') } },
        workflows: [chart],
      });
    const first = open(booking);
    const { runId } = await first.workflows.start(booking, undefined as never).result;
    const before = await first.runs.trace(runId);
    expect(before).toMatchObject({ machine: { known: true }, agrees: 1 });
    await first.close();
    const next = open(edited);
    const why = await next.runs.why(runId);
    expect(why).toMatchObject({ cause: 'chart_changed', unfolded: expect.stringContaining('has changed') });
    expect(why.summary).toMatch(/^it is in "waiting" and is waiting for an event, or after 60 min/);
    const trace = await next.runs.trace(runId);
    expect(trace).toMatchObject({
      machine: { known: false, hash: null },
      agrees: 0,
      lastSeq: 1,
      ended: false,
    });
    expect(trace.ways[0]).toMatchObject({ to: 'waiting', edges: [], guards: [] });
    expect(trace.transitions[0]?.hash).toBe(before.transitions[0]?.hash);
    await next.close();
    const restored = open(booking);
    expect(await restored.runs.trace(runId)).toEqual(before);
  });

  it('a workflow was cancelled', async () => {
    const { detent, runId } = await waiting();
    await detent.runs.cancel(runId, 'enough');
    expect(await detent.runs.why(runId)).toMatchObject({
      cause: 'cancelled',
      summary: 'it was cancelled by program in "waiting": enough',
    });
  });

  it('a person must say whether a step ran; and in a program without the chart, what is missing', async () => {
    const store = openInMemory();
    const uncertain = await writeWorkflow(store, [service('uncertain', 1, 'charge')], { state: 'charging' });
    await store.commit(() =>
      ask('setTimer', {
        run: uncertain.pk,
        tenant: 1,
        id: 'reconcile.1',
        event: 'flow.unknown.1',
        dueAt: 90_000,
      }),
    );
    const hosts = createMachineHosts([]);
    const same = (text: string) => text;
    const reading = {
      store,
      hosts,
      redact: same,
      isDriven,
      now: 60_000,
      missing: () => null,
      movedFrom: () => null,
    };
    expect(await explainRun(reading, uncertain)).toMatchObject({
      cause: 'crash_in_unsafe_step',
      details: expect.arrayContaining([expect.stringContaining('in 30 s')]),
      next: [
        { command: 'detent runs reconcile run_w c1 --ran --result JSON' },
        { command: 'detent runs reconcile run_w c1 --retry' },
        { command: 'detent runs reconcile run_w c1 --skip' },
        { command: 'detent runs resume run_w' },
      ],
    });
    const left = await writeWorkflow(store, [service('step', 1, 'charge')], { id: 'run_l', driver: dead });
    expect((await readEvidence(reading, left)).status).toBe('interrupted');
    expect(await explainRun(reading, left)).toMatchObject({
      cause: 'migration_needed',
      summary: expect.stringContaining('(MIGRATION_NEEDED)'),
      details: expect.arrayContaining([expect.stringContaining('starts')]),
      next: [
        { text: expect.stringContaining('give workflow() the chart of version 1'), command: null },
        { command: 'detent runs resume run_l' },
      ],
    });
  });
});
