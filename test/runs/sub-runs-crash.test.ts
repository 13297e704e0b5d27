import { describe, expect, it, onTestFinished } from 'vitest';
import type { Detent, RunHandle, RunView } from '../../src/index.ts';
import { assemble } from '../../src/runtime/create-detent.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { type ScriptedAnswer, type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { modelOptions, tool, withModel } from '../support/detent.ts';
import { dyingAt } from '../support/dying-store.ts';

/** Lines by the first words of a run; which of them comes next is read off the conversation, so any process can go on. */
type Scripts = Readonly<Record<string, readonly ScriptLine[]>>;

function voices(scripts: Scripts, asked: string[] = []) {
  const line: ScriptLine = (request, options) => {
    const first = request.messages.find(({ role }) => role === 'user');
    const name = first && 'text' in first ? first.text : '';
    const n = request.messages.filter(({ role }) => role === 'assistant').length;
    asked.push(`${name} ${n}`);
    const said = scripts[name]?.[n] ?? { error: { message: `"${name}" has no line ${n}` } };
    return typeof said === 'function' ? said(request, options) : said;
  };
  return scriptedModel(Array.from({ length: 100 }, () => line));
}

interface Scenario {
  scripts: Scripts;
  /** What happens while the first process lives. */
  act?(detent: Detent, run: RunHandle): Promise<void>;
}

/** Runs until it dies at the boundary, or until all runs park or end; then another process resumes. False: it did not die. */
async function liveTwice({ scripts, act }: Scenario, point: number) {
  const store = openInMemory();
  onTestFinished(() => store.close());
  const dying = dyingAt(point);
  const worked: string[] = [];
  const ok = tool('ok', {
    sideEffect: 'unsafe',
    confirm: false,
    run: (_, { idempotencyKey }) => worked.push(idempotencyKey),
  });
  const options = { store, tools: { define: [ok] }, onError: () => {} };
  const first = assemble(modelOptions(voices(scripts), options), { store: dying.decorate });
  const run = first.run('parent', { session: 's' });
  const rest = () => run.result.catch(() => {});
  await Promise.race([dying.died, act ? act(first, run).catch(() => {}) : rest()]);
  await Promise.race([dying.died, rest()]);
  const isDead = dying.passed > point;
  await first.close().catch(() => {});
  const second = withModel(voices(scripts), options);
  await second.runs.resume();
  const views = await settle(second);
  return { isDead, second, views, worked, runId: run.runId };
}

/** All runs at their end: what is asked is rejected, what is unknown skipped. */
async function settle(detent: Detent): Promise<RunView[]> {
  for (let round = 0; round < 20; round++) {
    const runs = await detent.runs.list();
    const views = await Promise.all(runs.map(({ runId }) => detent.runs.attach(runId).result));
    const open = views.flatMap(({ runId, pending }) => pending.map((call) => ({ runId, ...call })));
    for (const { runId, callId, kind } of open)
      if (kind === 'reconcile') await detent.runs.reconcile(runId, callId, { verdict: 'skip' });
      else await detent.runs.confirm(runId, callId, { verdict: 'reject' });
    const areAll = (await detent.runs.list()).length === views.length;
    if (areAll && open.length === 0 && views.every(({ outcome }) => outcome !== null)) return views;
  }
  throw new Error('runs did not settle');
}

/** Dies at each boundary in turn, until a life passes none more. */
async function atEveryBoundary(
  scenario: Scenario,
  check: (lived: Awaited<ReturnType<typeof liveTwice>>) => void,
) {
  let points = 0;
  // The first two are the driver's own: without them there is no process.
  for (let point = 2; ; point++) {
    const lived = await liveTwice(scenario, point);
    check(lived);
    if (!lived.isDead) break;
    points++;
    if (point > 200) throw new Error('it never came to its end');
  }
  return points;
}

const task: ScriptedAnswer = { toolCalls: [{ name: 'task', arguments: { prompt: 'child' } }] };
const byId = (views: readonly RunView[], id: string) => views.find(({ runId }) => runId === id);

describe('a task whose process dies', () => {
  it('is started once, ever, and its result is in its parent, wherever that happened', async () => {
    const scripts: Scripts = {
      parent: [task, { text: 'end' }],
      child: [{ toolCalls: [{ name: 'ok' }] }, { text: 'found' }],
    };
    const points = await atEveryBoundary({ scripts }, ({ views, runId, worked }) => {
      if (views.length === 0) return;
      const child = byId(views, `${runId}.c2`);
      expect(views).toHaveLength(2);
      expect([child?.outcome, child?.text]).toEqual(['completed', 'found']);
      const parent = byId(views, runId);
      expect([parent?.outcome, parent?.text, parent?.steps[0]?.toolCalls[0]?.result]).toEqual([
        'completed',
        'end',
        'found',
      ]);
      // The call is unsafe, so a person was asked whenever its outcome was unknown.
      expect(worked.length).toBeLessThanOrEqual(1);
    });
    expect(points).toBeGreaterThan(12);
  });

  it('carries on with the answer of a person, wherever that happened', async () => {
    const scripts: Scripts = {
      parent: [task, { text: 'end' }],
      child: [{ toolCalls: [{ name: 'ask_user', arguments: { question: 'Why?' } }] }, { text: 'found' }],
    };
    const answer = async (detent: Detent, run: RunHandle) => {
      const { waitsFor } = await run.result;
      await detent.runs.confirm(waitsFor ?? '', 'c2', { verdict: 'answer', answer: 'because' });
    };
    const points = await atEveryBoundary({ scripts, act: answer }, ({ views, runId }) => {
      if (views.length === 0) return;
      expect(views).toHaveLength(2);
      expect(views.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
      const call = byId(views, `${runId}.c2`)?.steps[0]?.toolCalls[0];
      expect([
        ['answer', 'because'],
        ['reject', 'The user chose not to answer.'],
      ]).toContainEqual([call?.decision, call?.result]);
    });
    expect(points).toBeGreaterThan(12);
  });

  it('ends with its parent, wherever the process that cancelled it died', async () => {
    const reached = { now: Promise.withResolvers<void>() };
    const scripts: Scripts = {
      parent: [task, { text: 'end' }],
      child: [
        async (_, { signal }) => {
          reached.now.resolve();
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve(), { once: true });
            setTimeout(resolve, 100);
          });
          return { text: 'found' };
        },
      ],
    };
    const cancel = async (_: Detent, run: RunHandle) => {
      await reached.now.promise;
      await run.cancel();
    };
    let orphans = 0;
    const points = await atEveryBoundary({ scripts, act: cancel }, ({ views, runId }) => {
      reached.now = Promise.withResolvers<void>();
      const parent = byId(views, runId);
      const child = byId(views, `${runId}.c2`);
      if (!parent) return;
      if (parent.outcome !== 'cancelled') return expect(child?.outcome).toBe('completed');
      if (child) orphans++;
      expect(child?.outcome ?? 'cancelled').toBe('cancelled');
    });
    expect([points > 6, orphans > 1]).toEqual([true, true]);
  });

  it('three times is no fault of the call that waits for it', async () => {
    const store = openInMemory();
    onTestFinished(() => store.close());
    const scripts: Scripts = {
      parent: [task, { text: 'end' }],
      child: Array.from({ length: 40 }, () => ({ toolCalls: [{ name: 'datetime' }] })),
    };
    const script = { ...scripts, child: [...(scripts.child ?? []), { text: 'found' }] };
    let runId = '';
    for (let life = 0; life < 6; life++) {
      // Late enough that the call has found its run again, while that works on.
      const dying = dyingAt(24);
      const detent = assemble(modelOptions(voices(script), { store, onError: () => {} }), {
        store: dying.decorate,
      });
      if (life === 0) runId = detent.run('parent').runId;
      else await detent.runs.resume().catch(() => {});
      await dying.died;
      await detent.close().catch(() => {});
    }
    const last = withModel(voices(script), { store });
    await last.runs.resume();
    expect(await last.runs.attach(runId).result).toMatchObject({ outcome: 'completed', text: 'end' });
  });
});
