import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMachine } from 'xstate';
import { leavesOf } from '../../../src/engine/machine/decide.ts';
import type { MachineHost } from '../../../src/engine/machine/machine-host.ts';
import { createMachineHosts } from '../../../src/engine/machine/machine-hosts.ts';
import { PureMachine } from '../../../src/engine/machine/pure-machine.ts';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { applyChanges, type ContextChanges, type RunTrace } from '../../../src/protocol/views.ts';
import { changesOf } from '../../../src/runs/history/trace/shown-event.ts';
import { Traces } from '../../../src/runs/history/trace/traces.ts';
import { watched } from '../../../src/runs/history/watched.ts';
import { importedHost } from '../../../src/runs/rows/imported.ts';
import type { Store } from '../../../src/runs/rows/statements.ts';
import { createDetent } from '../../../src/runtime/create-detent.ts';
import { createScheduler } from '../../../src/schedule/scheduler.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import { type ScriptLine, scriptedModel } from '../../../src/testing/index.ts';
import {
  coreWith,
  gate,
  modelOptions,
  scripted,
  temporaryWorkspace,
  tool,
  withModel,
} from '../../support/detent.ts';
import { LongRun, tenant } from './long-run.ts';
import { type WholeTransition, whole, wholeTrace } from './trace-laws.ts';

const call = (name: string, args: object = {}): ScriptLine => ({ toolCalls: [{ name, arguments: args }] });
const tools = { define: [tool('pay', { sideEffect: 'unsafe' }), tool('look')] };
const all = { afterSeq: 0, limit: 1_000 };

const lines = (trace: RunTrace) =>
  whole(trace).map(({ event, edges, by }) => [
    event.type,
    by.kind === 'effect' ? `effect ${by.effect}` : by.kind,
    edges.map((edge) => edge.replaceAll(/active\.(working\.)?/g, '')).join(' '),
  ]);

describe('the trace of a run', () => {
  it('has for each transition what brought it, the edges and guards in their order, and what it changed', async () => {
    const { detent } = await scripted([call('pay', { usd: 9 }), { text: 'paid' }], { tools });
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'approve' });
    const { runId } = await run.result;
    const trace = await detent.runs.trace(runId);
    expect(lines(trace)).toEqual([
      ['run.start', 'person', 'idle->active'],
      ['model.done', 'effect 1', 'thinking.requesting->deciding deciding->awaitingConfirm'],
      ['confirm.decide', 'person', 'awaitingConfirm->deciding deciding->tooling'],
      ['tool.done', 'effect 2', 'tooling.executing->deciding deciding->thinking'],
      ['model.done', 'effect 3', 'thinking.requesting->deciding deciding->done'],
    ]);
    expect(trace).toMatchObject({
      runId,
      machine: { name: 'run', hash: (await detent.machine.layout()).hash, known: true },
      lastSeq: 5,
      ended: true,
      agrees: 5,
      initial: { path: 'idle', context: { steps: 0 } },
    });
    const [, answered] = whole(trace);
    expect(answered).toMatchObject({
      from: 'active.working.thinking.requesting',
      to: 'active.awaitingConfirm',
      guards: [
        { guard: 'isAwaited', holds: true },
        { guard: 'hasFailed', holds: false },
        { guard: 'isFiltered', holds: false },
        { guard: 'isRefused', holds: false },
        { guard: 'isSteered', holds: false },
        { guard: 'hasAsked', holds: true },
      ],
      changes: {
        steps: [0, 1],
        awaiting: [1, null],
        pending: [[], [{ id: 2, class: 'unsafe', state: 'asked' }]],
      },
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), costUsd: null },
    });
    expect(Object.keys(answered?.changes ?? {})).not.toContain('limits');
  });

  it('has a span for each model call, each tool call, and each wait for a person', async () => {
    const { detent } = await scripted(
      [call('pay', { usd: 9 }), { toolCalls: [{ name: 'look' }, { name: 'look' }] }, { text: 'paid' }],
      { tools },
    );
    const run = detent.run('go');
    await run.result;
    await run.confirm('c2', { verdict: 'approve' });
    const { runId } = await run.result;
    const { spans, transitions } = await detent.runs.trace(runId);
    expect(
      spans.map(({ lane, label, callId, seq, endSeq, attempt }) => [
        lane,
        label,
        callId,
        seq,
        endSeq,
        attempt,
      ]),
    ).toEqual([
      ['model', 'step 1', undefined, 1, 2, 1],
      ['people', 'pay', 'c2', 2, 3, 1],
      ['tools', 'pay', 'c2', 3, 4, 1],
      ['model', 'step 2', undefined, 4, 5, 1],
      ['tools', 'look', 'c4', 5, 6, 1],
      ['tools', 'look', 'c5', 5, 7, 1],
      ['model', 'step 3', undefined, 7, 8, 1],
    ]);
    for (const { seq, startedAt, endSeq, endedAt } of spans) {
      expect(startedAt).toBe(transitions[seq - 1]?.at);
      expect(endedAt).toBe(transitions[(endSeq ?? 0) - 1]?.at);
    }
  });

  it('says how an effect failed, and counts its attempts', async () => {
    const error = { code: 'MODEL_RATE_LIMIT', message: 'slow down', retryable: true, retryAfterMs: 1 };
    const { detent } = await scripted([{ error }, call('no_such_tool'), { text: 'well' }], { tools });
    const { runId } = await detent.run('go').result;
    const { spans } = await detent.runs.trace(runId);
    expect(spans).toMatchObject([
      { label: 'step 1', failed: 'MODEL_RATE_LIMIT', attempt: 1 },
      { label: 'step 1', attempt: 2 },
      { label: 'step 2', attempt: 1 },
    ]);
    expect(spans[1]).not.toHaveProperty('failed');
  });

  it('knows a question of the model from a call that needs approval', async () => {
    const { detent } = await scripted([call('ask_user', { question: 'Which?' }), { text: 'fine' }]);
    const run = detent.run('go');
    await run.result;
    const { spans } = await detent.runs.trace(run.runId ?? '');
    expect(spans.at(-1)).toMatchObject({ lane: 'people', tool: 'ask_user', kind: 'question', endedAt: null });
    await run.cancel();
  });

  it('of one with everything in it is what its rows were at every transition', async () => {
    const long = new LongRun();
    await long.live();
    const history = await long.core.history();
    const trace = await history.trace(tenant, long.runId, all);
    const { initial, agrees, lastSeq } = trace;
    const transitions = whole(trace);
    expect(agrees).toBe(lastSeq);
    expect(initial.path).toBe('idle');
    for (const [seq, { row }] of long.seen.get(long.runId) ?? [])
      if (seq > 0) expect(transitions[seq - 1]).toMatchObject({ seq, to: leafOf(JSON.parse(row.state)) });
    const types = new Set(transitions.map(({ event }) => event.type));
    expect([...types]).toEqual(expect.arrayContaining(['tool.uncertain', 'tool.reconcile', 'compact.done']));
  });

  it('of a run whose process ended at work has a span before that and one after it, and none between', async () => {
    const workspace = await temporaryWorkspace();
    const options = (wait: () => Promise<string>) => {
      const define = [tool('look'), tool('wait', { run: wait })];
      return { workspace, store: undefined, tools: { define } } as never;
    };
    const script = [{ toolCalls: [{ name: 'look' }, { name: 'wait' }] }];
    const first = withModel(
      scriptedModel(script),
      options(() => new Promise(() => {})),
    );
    const run = first.run('go');
    run.result.catch(() => {});
    const runId = await run.started;
    await vi.waitFor(async () =>
      expect((await first.runs.events(runId)).at(-1)?.event.type).toBe('tool.done'),
    );
    await first.close();
    const second = withModel(
      scriptedModel([{ text: 'done' }]),
      options(async () => 'ok'),
    );
    await second.runs.resume({ runId });
    await second.runs.attach(runId).result;
    const { spans, transitions } = await second.runs.trace(runId);
    const [looked, resumed] = ['tool.done', 'run.resumed'].map((type) =>
      transitions.find(({ event }) => event.type === type),
    );
    const [before, after, ...others] = spans.filter((span) => span.tool === 'wait');
    expect(before).toMatchObject({
      attempt: 1,
      failed: 'interrupted',
      endedAt: looked?.at,
      endSeq: resumed?.seq,
    });
    expect(after).toMatchObject({ attempt: 2, startedAt: resumed?.at, seq: resumed?.seq });
    expect(after).not.toHaveProperty('failed');
    expect(others).toEqual([]);
  });

  it('of a live run is folded on: what is new comes alone, with the spans that it ended', async () => {
    const held = gate();
    const { detent } = await scripted([call('wait'), { text: 'done' }], {
      tools: { define: [tool('wait', { run: () => held.pass() })] },
    });
    const run = detent.run('go');
    await held.reached;
    const runId = await run.started;
    const first = await detent.runs.trace(runId);
    expect(first).toMatchObject({ ended: false, lastSeq: 2 });
    expect(first.spans.at(-1)).toMatchObject({ id: 2, label: 'wait', endedAt: null });
    held.open();
    await run.result;
    const rest = await detent.runs.trace(runId, { afterSeq: first.lastSeq });
    expect(rest.transitions.map(({ seq }) => seq)).toEqual([3, 4]);
    expect(rest).toMatchObject({ ended: true, lastSeq: 4, agrees: 4 });
    expect(rest.spans.map(({ id, endSeq }) => [id, endSeq])).toEqual([
      [2, 3],
      [3, 4],
    ]);
  });

  it('comes in parts that together are the whole', async () => {
    const { detent } = await scripted([...Array.from({ length: 6 }, () => call('look')), { text: 'ok' }], {
      tools,
    });
    const { runId } = await detent.run('go').result;
    const atOnce = await detent.runs.trace(runId);
    expect(atOnce.transitions).toHaveLength(14);
    expect(await wholeTrace(detent, runId, 3)).toEqual(atOnce);
    expect((await detent.runs.trace(runId, { afterSeq: 99 })).transitions).toEqual([]);
  });

  it('shortens the large texts of events, and says so', async () => {
    const { detent } = await scripted([{ text: 'ok' }]);
    const run = detent.run('go');
    const { runId } = await run.result;
    const next = detent.run('more', { sessionId: 'other' });
    await next.cancel('x'.repeat(5_000));
    await next.result;
    const { transitions } = await detent.runs.trace(next.runId ?? runId);
    const cancelled = transitions.at(-1);
    expect(cancelled).toMatchObject({ isCut: true, event: { type: 'run.cancel' } });
    expect(String(cancelled?.event.reason).length).toBeLessThan(500);
  });

  it('stops to follow the chart where the log was changed, and tells how much agrees', async () => {
    const workspace = await temporaryWorkspace();
    const file = join(workspace, 'd.db');
    const options = { workspace, store: undefined as never, database: { file }, tools };
    const before = withModel(scriptedModel([call('look'), call('look'), { text: 'ok' }]), options);
    const { runId } = await before.run('go').result;
    await before.close();
    const db = new Sqlite(file);
    db.prepare("update run_events set hash = 'x' where seq = 4").run();
    db.close();
    // Not by `withModel`, which replays what a test leaves behind.
    const after = createDetent(modelOptions(scriptedModel([]), { ...options, readonly: true }));
    onTestFinished(() => after.close());
    const trace = await wholeTrace(after, runId, 4);
    expect(trace).toMatchObject({ agrees: 3, lastSeq: 6, diverged: { seq: 4, what: 'hash' } });
    expect(
      whole(trace)
        .map(({ edges, to }) => [edges.length, to])
        .slice(2),
    ).toEqual([
      [2, 'active.working.thinking.requesting'],
      [0, 'active.working.tooling.executing'],
      [0, 'active.working.thinking.requesting'],
      [0, 'done'],
    ]);
  });
});

describe('the trace of a machine that this program does not have', () => {
  it('has the log alone', async () => {
    const { detent } = await scripted([call('look'), { text: 'ok' }], { tools });
    const { runId } = await detent.run('go').result;
    const known = await detent.runs.trace(runId);
    const core = await coreWith(scriptedModel([call('look'), { text: 'ok' }]), { tools });
    expect(known.machine.known).toBe(true);
    const run = core.hosts.newest('run');
    const without = createMachineHosts([{ ...run, version: 99, migrate: [] }]);
    const store: Store = {
      query: async (name: string) => (name === 'listEvents' ? whole(known).map(rowOf) : []),
    } as never;
    const row = { pk: 1, seq: 4, ended: 1, machine: 'run', version: 3, input: '{}', options: '{}' } as RunRow;
    const trace = await new Traces({ store, hosts: without, redact: (text) => text }).read(row, all);
    expect(trace).toMatchObject({
      machine: { known: false, hash: null },
      agrees: 0,
      initial: { context: null },
      lastSeq: 4,
    });
    expect(whole(trace).map(({ event, to, edges, guards }) => [event.type, to, edges, guards])).toEqual(
      whole(known).map(({ event, to }) => [event.type, to, [], []]),
    );
  });
});

describe('a watched machine', () => {
  it('with parallel states tells the edges of each region, those without an event included', () => {
    const machine = createMachine({
      id: 'm',
      type: 'parallel',
      context: { n: 0 },
      states: {
        left: { initial: 'a', states: { a: { on: { go: { target: 'b', guard: 'isGood' } } }, b: {} } },
        right: {
          initial: 'a',
          states: { a: { on: { go: 'b' } }, b: { always: { target: 'c', guard: 'isGood' } }, c: {} },
        },
      },
    }).provide({ guards: { isGood: () => true } } as never);
    const host = { ...importedHost, id: 'm', version: 1, machine: new PureMachine(machine) };
    const { machines, take } = watched({ of: () => host });
    const seen = (machines as { of(run: object): MachineHost }).of({});
    const [start] = seen.machine.initialTransition({});
    const [next] = seen.machine.transition(start, { type: 'go' });
    expect(take()).toEqual({
      guards: [
        { guard: 'isGood', passed: true },
        { guard: 'isGood', passed: true },
      ],
      edges: ['left.a->left.b', 'right.a->right.b', 'right.b->right.c'],
    });
    expect(leavesOf(next.value)).toEqual(['left.b', 'right.c']);
    expect(take()).toEqual({ guards: [], edges: [] });
  });
});

describe('changes of a context', () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
  const key = fc.oneof(fc.constantFrom('a', 'b', 'a.b', 'b.', '\\', 'a\\.b', '', '__proto__'), fc.string());
  const value = fc.oneof(json, fc.dictionary(key, json));
  const context = fc.dictionary(key, value) as fc.Arbitrary<JsonObject>;

  it('lead from one to the other, whatever their keys are', () => {
    fc.assert(
      fc.property(context, context, fc.func(fc.boolean()), (before, other, keeps) => {
        // Half of the values stay.
        const after = Object.fromEntries(
          Object.entries({ ...before, ...other }).map(([key, value]) => [
            key,
            keeps(key) && Object.hasOwn(before, key) ? (before[key] as JsonValue) : value,
          ]),
        );
        const changes = JSON.parse(JSON.stringify(changesOf(before, after))) as ContextChanges;
        expect(JSON.parse(JSON.stringify(applyChanges(before, changes)))).toEqual(
          JSON.parse(JSON.stringify(after)),
        );
      }),
    );
  });

  it('name what changed within an object that kept its keys', () => {
    const before = { limits: { steps: 50, usd: null }, firing: null, gone: 1 };
    const after = { limits: { steps: 60, usd: null }, firing: { n: 1 } };
    expect(changesOf(before, after)).toEqual({
      'limits.steps': [50, 60],
      firing: [null, { n: 1 }],
      gone: [1],
    });
  });
});

describe('the trace of a job', () => {
  it('has its own chart, and its effects in the lane of the host', async () => {
    const { detent } = await scripted([{ text: 'ok' }]);
    const scheduler = createScheduler(detent);
    const { jobRunId } = await scheduler.add({ jobId: 'j', every: '1h', prompt: 'Sum up.' });
    const trace = await detent.runs.trace(jobRunId);
    expect(trace).toMatchObject({
      machine: { name: 'job', known: true },
      ended: false,
      initial: { path: 'idle' },
    });
    expect(trace.spans[0]).toMatchObject({ lane: 'host', label: 'plan' });
    await scheduler.close();
  });
});

function rowOf({ seq, at, event: { type, ...body }, to, hash }: WholeTransition) {
  return { run: 1, seq, at, type, body: JSON.stringify(body), path: String(to), hash };
}

function leafOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[key, inner] = []] = Object.entries(value as object);
  return `${key}.${leafOf(inner)}`;
}
