import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DetentOptions, HookRecord, Hooks, RunView } from '../../../src/index.ts';
import { scripted, tool } from '../../support/detent.ts';
import { talkative, words } from '../compaction/support.ts';
import { recordsOf } from './records.ts';

type Point = Exclude<keyof Hooks, 'runEnd' | 'runWaiting' | 'runDecided'>;
type Answer = (signal: AbortSignal) => unknown;

const points: Point[] = ['runStart', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'beforeCompact'];

/** What hooks can answer, and what is then in the log; `text` is what the hooks of texts rewrite to. */
const answers: Record<string, { answer: Answer; args?: Answer }> = {
  nothing: { answer: () => undefined },
  addContext: { answer: () => ({ addContext: 'the shop is shut' }) },
  rewrite: { answer: () => ({ rewrite: 'rewritten' }), args: () => ({ rewrite: { n: 2 } }) },
  veto: { answer: () => ({ veto: 'not today' }) },
  throw: {
    answer: () => {
      throw new Error('out of order');
    },
  },
  reject: { answer: () => Promise.reject(new Error('out of order')) },
  hang: { answer: () => new Promise(() => {}) },
  'hang until aborted': { answer: (signal) => sleep(60_000, undefined, { signal }) },
  'a text': { answer: () => 'veto' },
  'an unknown field': { answer: () => ({ deny: true }) },
  'two fields': { answer: () => ({ veto: 'no', addContext: 'x' }) },
  'a veto that is no text': { answer: () => ({ veto: true }) },
};

const allowed: Record<Point, string[]> = {
  runStart: ['nothing', 'addContext'],
  beforeModel: ['nothing', 'addContext', 'veto'],
  afterModel: ['nothing', 'rewrite', 'veto'],
  beforeTool: ['nothing', 'rewrite', 'veto'],
  afterTool: ['nothing', 'rewrite'],
  beforeCompact: ['nothing', 'veto'],
};

/** A run of two steps with one call; the hook stands at the point. */
async function run(point: Point, hook: Answer) {
  const called: unknown[] = [];
  const probe = tool('look', { run: (args) => `looked at ${called.push(args)}` });
  const options: DetentOptions = {
    hooks: {
      [point]: [
        Object.defineProperty((_: object, signal: AbortSignal) => hook(signal), 'name', { value: 'mine' }),
      ],
    },
    hookTimeoutMs: 30,
    tools: { define: [probe] },
  };
  if (point === 'beforeCompact') return { ...(await crowded(options)), called };
  const { detent, model } = await scripted(
    [{ text: 'wait', toolCalls: [{ name: 'look', arguments: { n: 1 } }] }, { text: 'done' }],
    options,
  );
  const view = await detent.run('go').result;
  return { detent, view, model, called };
}

/** A session that outgrows its window. */
async function crowded(options: DetentOptions) {
  const talk = talkative();
  // What is flushed would be recalled by the next run, and stand among the records.
  const memory = { recall: false };
  const { detent } = await scripted([], { ...options, memory, models: { other: talk } });
  let view: RunView | undefined;
  for (let n = 0; n < 14; n++)
    view = await detent.run(words(2_000, n), { sessionId: 's', model: 'other/moonshot-v1-8k' }).result;
  if (!view) throw new Error('no run');
  return { detent, view, model: talk };
}

describe.each(points)('a hook at %s', (point) => {
  it.each(Object.keys(answers))('that answers: %s', async (name) => {
    const { answer, args } = answers[name] ?? { answer: () => undefined };
    const { detent, view, called, model } = await run(
      point,
      point === 'beforeTool' ? (args ?? answer) : answer,
    );
    const runs = await detent.runs.list();
    const records: HookRecord[] = [];
    for (const { runId } of runs) records.push(...(await recordsOf(detent, runId)));
    const isAllowed = allowed[point].includes(name);
    const did = isAllowed ? name : 'failed';
    expect(new Set(records.map((record) => `${record.hook} ${record.name} ${record.did}`))).toEqual(
      new Set([`${point} mine ${did}`]),
    );
    const isRefused = did === 'veto' || did === 'failed';
    const code = did === 'veto' ? 'HOOK_VETO' : 'HOOK_FAILED';
    const calls = view.steps.flatMap(({ toolCalls }) => toolCalls);
    switch (point) {
      case 'runStart':
      case 'beforeModel':
        expect(model.requests.length).toBe(isRefused ? 0 : 2);
        break;
      case 'afterModel':
        expect(model.requests.length).toBe(isRefused ? 1 : 2);
        expect(view.text).toBe(isRefused ? '' : did === 'rewrite' ? 'rewritten' : 'done');
        break;
      case 'beforeTool':
        expect(called).toEqual(isRefused ? [] : [{ n: did === 'rewrite' ? 2 : 1 }]);
        expect(calls[0]?.status).toBe(isRefused ? 'failed' : 'done');
        break;
      case 'afterTool':
        expect(called).toEqual([{ n: 1 }]);
        if (!isRefused) expect(calls[0]?.result).toBe(did === 'rewrite' ? 'rewritten' : 'looked at 1');
        break;
      case 'beforeCompact':
        expect(
          model.requests.some(({ messages }) => messages.some(({ text }) => text.includes('SUMMARY'))),
        ).toBe(!isRefused);
    }
    const failsRun = isRefused && ['runStart', 'beforeModel', 'afterModel'].includes(point);
    expect(view.outcome).toBe(failsRun ? 'blocked_by_environment' : 'completed');
    expect(view.error?.code).toBe(failsRun ? code : undefined);
    if (isRefused && point.endsWith('Tool')) {
      const result = calls[0]?.result ?? '';
      expect(result).toContain('the hook "mine"');
      const events = await detent.runs.events(view.runId);
      expect(events.find(({ event }) => event.type === 'tool.failed')?.event.code).toBe(code);
    }
  });
});
