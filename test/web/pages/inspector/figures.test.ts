import { expect, it } from 'vitest';
import { figuresOf } from '../../../../web/src/pages/inspector/figures.ts';
import { traceOf } from './trace.ts';

const thinking = 'active.working.thinking.requesting';
const tooling = 'active.working.tooling.executing';
const asking = 'active.awaitingConfirm';

const trace = traceOf([
  [1_000, 'run.start', thinking, ['start']],
  [3_000, 'model.done', tooling, ['answer', 'call']],
  [3_500, 'tool.done', thinking, ['result', 'again']],
  [4_500, 'model.done', asking, ['answer', 'ask']],
  [9_500, 'confirm.decide', tooling, ['decide', 'call']],
  [9_700, 'tool.done', 'done', ['result', 'end']],
]);
trace.transitions.forEach((one, i) => {
  if (one.event.type === 'model.done')
    one.usage = { inputTokens: 100 * i, outputTokens: i, costUsd: i / 100 };
});
const figures = figuresOf(trace);

it('adds up working time, and the time in which a person had to decide', () => {
  const times = [1, 3, 4, 5, 6].map((seq) => [figures.at(seq).workingMs, figures.at(seq).waitedMs]);
  expect(times).toEqual([
    [0, 0],
    [2_500, 0],
    [3_500, 0],
    [3_500, 5_000],
    [3_700, 5_000],
  ]);
});

it('knows what lasts, from when on', () => {
  const asked = traceOf([
    [1_000, 'run.start', thinking, ['start']],
    [3_000, 'model.done', asking, ['answer', 'ask']],
  ]);
  expect(figuresOf(asked).lasting).toEqual({ kind: 'waiting', since: 3_000 });
  expect(figures.lasting).toBeUndefined();
});

it('counts up to a time what goes on since the last transition', () => {
  const until = (time: number) => [figures.atTime(time).workingMs, figures.atTime(time).waitedMs];
  expect([999, 2_000, 4_500, 7_500, 99_999].map(until)).toEqual([
    [0, 0],
    [1_000, 0],
    [3_500, 0],
    [3_500, 3_000],
    [3_700, 5_000],
  ]);
});

it('adds up tokens and cost up to a moment', () => {
  expect(figures.at(3)).toMatchObject({ inputTokens: 100, outputTokens: 1, costUsd: 0.01 });
  expect(figures.at(4)).toMatchObject({ inputTokens: 400, outputTokens: 4, costUsd: 0.04 });
  expect(figures.at(0)).toMatchObject({ workingMs: 0, inputTokens: 0, costUsd: 0 });
});

it('counts how often an edge was taken, and knows when it was last', () => {
  const taken = (edge: string) => [1, 2, 4, 6].map((seq) => figures.taken(seq).get(edge));
  expect([taken('start'), taken('answer'), taken('call')]).toEqual([
    [1, 1, 1, 1],
    [0, 1, 2, 2],
    [0, 1, 1, 2],
  ]);
  expect([1, 2, 3, 4, 6].map((seq) => figures.lastTaken('answer', seq))).toEqual([0, 2, 2, 4, 4]);
  expect(figures.lastTaken('none', 6)).toBe(0);
});

it('adds up how long each innermost state held', () => {
  expect(Object.fromEntries(figures.durations(5))).toEqual({
    [thinking]: 3_000,
    [tooling]: 500,
    [asking]: 5_000,
  });
  expect(figures.durations(6).get(tooling)).toBe(700);
});

it('counts no time as work in which no process had the run', () => {
  const trace = traceOf([
    [1_000, 'run.start', thinking],
    [58_400, 'run.resumed', thinking],
    [59_000, 'model.done', 'done'],
  ]);
  Object.assign(trace.transitions[1]?.event ?? {}, { lastAt: 1_200 });
  const { at, durations } = figuresOf(trace);
  expect([at(2).workingMs, at(3).workingMs]).toEqual([200, 800]);
  expect(durations(3).get(thinking)).toBe(800);
});

it('does not let a clock that was set back make time negative', () => {
  const back = figuresOf(
    traceOf([
      [2_000, 'run.start', thinking],
      [1_000, 'model.done', 'done'],
    ]),
  );
  expect(back.at(2).workingMs).toBe(0);
});
