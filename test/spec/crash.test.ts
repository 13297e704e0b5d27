import { expect, onTestFinished } from 'vitest';
import type { Detent, RunView, SideEffect, ToolStatus } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { fakeClock, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { gate, modelOptions, tool, withModel } from '../support/detent.ts';
import { dyingAt } from '../support/dying-store.ts';
import { calls, given, processes, resumed, when } from './support.ts';

// A process may die at any instant. Nothing acknowledged is lost, and nothing unsafe is repeated without a person.
// test/crash does the same with real processes, SIGKILL and several drivers.

/** Goes on wherever the conversation stands, so that any process can take the run over. */
const actsOnce: ScriptLine = ({ messages }) =>
  messages.some(({ role }) => role === 'tool') ? { text: 'done' } : calls('act');
const model = () => scriptedModel(Array.from({ length: 20 }, () => actsOnce));

interface Life {
  /** Whether the first process died: a life that passed all its boundaries did not. */
  died: boolean;
  /** The run as the next process found and finished it; null if the process died before it was durable. */
  view: RunView | null;
  /** Whether the program was told that the run is durable. */
  acknowledged: boolean;
  /** The keys under which the tool ran. */
  ran: string[];
  /** What people were asked by the next process. */
  asked: string[];
}

/** A run of one call, whose process dies at a boundary of a commit; the next process resumes it, and a person answers it. */
async function liveTwice(sideEffect: SideEffect, confirm: boolean, point: number): Promise<Life> {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const dying = dyingAt(point);
  const ran: string[] = [];
  const act = tool('act', {
    sideEffect,
    confirm,
    run: (_, { idempotencyKey }) => {
      ran.push(idempotencyKey);
      return 'acted';
    },
    ...(sideEffect === 'probe' && {
      status: (): ToolStatus => (ran.length > 0 ? { ran: true, result: 'acted' } : { notRan: true }),
    }),
  });
  const options = { store, tools: { define: [act] }, onError: () => {} };
  const first = assemble(modelOptions(model(), options), { store: dying.decorate });
  const run = first.run('go');
  let acknowledged = false;
  const life = async () => {
    await run.started;
    acknowledged = true;
    const { status } = await run.result;
    if (status !== 'waiting') return;
    await run.confirm('c2', { verdict: 'approve' });
    await run.result;
  };
  await Promise.race([dying.died, life().catch(() => {})]);
  const died = dying.passed > point;
  await first.close().catch(() => {});
  const next = withModel(model(), options);
  await next.runs.resume();
  const isThere = (await next.runs.list()).length > 0;
  const asked: string[] = [];
  return { died, acknowledged, ran, asked, view: isThere ? await settled(next, run.runId, asked) : null };
}

/** The run at its end: a person approves what is asked, and skips what is unknown. */
async function settled(detent: Detent, runId: string, asked: string[]): Promise<RunView> {
  for (;;) {
    const view = await detent.runs.attach(runId).result;
    const [question] = view.pending;
    if (!question) return view;
    asked.push(question.kind);
    if (question.kind === 'reconcile')
      await detent.runs.reconcile(runId, question.callId, { verdict: 'skip' });
    else await detent.runs.confirm(runId, question.callId, { verdict: 'approve' });
  }
}

/** Dies at each boundary in turn, until a life passes none more. What holds for every class of calls is checked here. */
async function atEveryBoundary(sideEffect: SideEffect, confirm = false): Promise<Life[]> {
  const lives: Life[] = [];
  for (let point = 0; point < 60; point++) {
    const life = await liveTwice(sideEffect, confirm, point);
    if (!life.died) {
      expect(lives.filter(({ view }) => view !== null).length).toBeGreaterThan(4);
      return lives;
    }
    lives.push(life);
    const { view, acknowledged } = life;
    // An acknowledged run is never lost, and comes to its end.
    if (acknowledged) expect(view).not.toBeNull();
    if (view) expect([view.status, view.text]).toEqual(['done', 'done']);
    // Each call has exactly one result in what the model reads.
    const settled = { status: expect.stringMatching(/^(done|skipped)$/) };
    if (view) expect(view.steps[0]?.toolCalls).toMatchObject([settled]);
  }
  throw new Error('it never came to its end');
}

// Here the process dies between two steps of Detent, so most calls had ended or had not begun; below it ends during the call.
given('a run of one call, whose process dies before or after any of its commits', () => {
  for (const sideEffect of ['readonly', 'idempotent'] as const)
    when(`the call is ${sideEffect}`, 'a repeat has the same key, and no person is asked', async () => {
      for (const { ran, asked } of await atEveryBoundary(sideEffect)) {
        expect(new Set(ran).size).toBeLessThanOrEqual(1);
        expect(asked).toEqual([]);
      }
    });

  when('the call is a probe', 'its status is asked, and it has run once in all', async () => {
    for (const { ran, asked, view } of await atEveryBoundary('probe')) {
      expect(ran).toHaveLength(view ? 1 : 0);
      expect(asked).toEqual([]);
    }
  });

  for (const confirm of [false, true])
    when(
      `the call is unsafe, and ${confirm ? 'approved' : 'needs no approval'}`,
      'it never runs twice; a person settles what is unknown',
      async () => {
        const outcomes = new Set<string>();
        for (const { ran, asked, view } of await atEveryBoundary('unsafe', confirm)) {
          expect(ran.length).toBeLessThanOrEqual(1);
          const status = view?.steps[0]?.toolCalls[0]?.status;
          if (!status) continue;
          outcomes.add(status);
          expect(asked.includes('reconcile')).toBe(status === 'skipped');
        }
        expect(outcomes).toEqual(new Set(['done', 'skipped']));
      },
    );
});

/** A run whose process ended during its call; the next process has resumed it. */
async function interrupted(sideEffect: SideEffect, status?: () => ToolStatus) {
  const tried: string[] = [];
  const { pass, reached } = gate();
  const act = tool('act', {
    sideEffect,
    confirm: false,
    run: async (_, { idempotencyKey, signal }) => {
      tried.push(idempotencyKey);
      if (tried.length === 1) await pass(signal);
      return 'acted';
    },
    ...(status && { status }),
  });
  const open = await processes({ tools: { define: [act] } });
  const first = open([calls('act')]);
  const run = first.run('act');
  await reached;
  await first.close();
  const detent = open([{ text: 'ok' }]);
  const view = await resumed(detent, run.runId);
  return { tried, view, detent, runId: run.runId };
}

given('a call that was at work when its process ended', () => {
  for (const sideEffect of ['readonly', 'idempotent'] as const)
    when(`it is ${sideEffect}`, 'it runs again under the same key', async () => {
      const { tried, view, runId } = await interrupted(sideEffect);
      expect([tried, view.text]).toEqual([[`${runId}:2`, `${runId}:2`], 'ok']);
    });

  for (const [answer, status, times, result] of [
    ['it ran', (): ToolStatus => ({ ran: true, result: 'it had acted' }), 1, 'it had acted'],
    ['it did not run', (): ToolStatus => ({ notRan: true }), 2, 'acted'],
  ] as const)
    when(
      `it is a probe whose status says that ${answer}`,
      `it has run ${times} times at the end, under one key`,
      async () => {
        const { tried, view } = await interrupted('probe', status);
        expect([tried.length, view.steps[0]?.toolCalls[0]?.result, view.text]).toEqual([times, result, 'ok']);
        expect(new Set(tried).size).toBe(1);
      },
    );

  for (const [what, sideEffect, status] of [
    ['unsafe', 'unsafe', undefined],
    ['a probe whose status is unknown', 'probe', (): ToolStatus => ({ unknown: true })],
  ] as const)
    when(`it is ${what}`, 'it waits for a person, and does not run', async () => {
      const { tried, view } = await interrupted(sideEffect, status);
      expect(view).toMatchObject({
        status: 'waiting',
        pending: [{ kind: 'reconcile', callId: 'c2', name: 'act' }],
      });
      expect([tried.length, view.steps[0]?.toolCalls[0]?.status]).toEqual([1, 'uncertain']);
    });

  for (const [word, times, status, result] of [
    [{ verdict: 'ran', result: 'I saw it' }, 1, 'done', 'I saw it'],
    [{ verdict: 'ran' }, 1, 'done', 'The user confirms that the call took effect; its output is lost.'],
    [{ verdict: 'retry' }, 2, 'done', 'acted'],
    [
      { verdict: 'skip' },
      1,
      'skipped',
      'The call was interrupted and its outcome is unknown; the user chose to continue without it.',
    ],
  ] as const)
    when(`a person says ${JSON.stringify(word)}`, `it has run ${times} times, and is ${status}`, async () => {
      const { tried, detent, runId } = await interrupted('unsafe');
      expect(await detent.runs.reconcile(runId, 'c2', word)).toEqual({
        applied: true,
        verdict: word.verdict,
        stands: true,
      });
      const view = await detent.runs.attach(runId).result;
      expect([view.text, tried.length, view.steps[0]?.toolCalls[0]]).toMatchObject([
        'ok',
        times,
        { status, result },
      ]);
      expect(await detent.runs.reconcile(runId, 'c2', { verdict: 'skip' })).toEqual({
        applied: false,
        verdict: word.verdict,
        stands: word.verdict === 'skip',
      });
    });
});

given('a run that waits for a person', () => {
  const tools = { define: [tool('write', { sideEffect: 'unsafe' })] };

  when('its process ends', 'it waits in every process that looks at it', async () => {
    const next = await processes({ tools });
    const first = next([calls('write')]);
    const { runId } = await first.run('write').result;
    await first.close();
    const second = next([]);
    expect((await second.runs.show(runId)).status).toBe('waiting');
    expect((await resumed(second, runId)).status).toBe('waiting');
  });

  when('its question expires meanwhile', 'the next process goes on without the call', async () => {
    const clock = fakeClock();
    const next = await processes({ tools, clock });
    const first = next([calls('write')]);
    const { runId } = await first.run('write').result;
    await first.close();
    await clock.advance(8 * 86_400_000);
    const view = await resumed(next([{ text: 'pity' }]), runId);
    expect([view.text, view.steps[0]?.toolCalls[0]]).toMatchObject([
      'pity',
      { decision: 'expired', code: 'EXPIRED' },
    ]);
  });
});
