import { describe, expect, it } from 'vitest';
import { PureRun } from './pure-run.ts';

const executing = 'active.working.tooling.executing';
const requesting = 'active.working.thinking.requesting';

describe('the calls of an answer', () => {
  it('have ids that follow the model call, in call order', () => {
    const run = PureRun.started().ask('readonly', 'ask unsafe', 'refuse', 'readonly');
    expect(run.context.pending.map(({ id }) => id)).toEqual([2, 3, 5]);
    expect(run.context.effectCount).toBe(5);
  });

  it('are held before they start, so that their arguments survive', () => {
    const run = PureRun.started().ask('readonly', 'ask unsafe', 'refuse');
    expect(run.actions.filter(({ type }) => type === 'effect.hold')).toEqual([
      expect.objectContaining({ params: { ids: [2, 3] } }),
    ]);
  });

  it('start side by side while they are read-only', () => {
    const run = PureRun.started().ask('readonly', 'readonly', 'readonly');
    expect([run.path, run.effects('effect.runTool')]).toEqual([executing, [2, 3, 4]]);
  });

  it('start up to the limit at once, the next as soon as one is done', () => {
    const run = PureRun.started({ parallel: 2 }).ask('readonly', 'readonly', 'readonly', 'readonly');
    expect(run.effects('effect.runTool')).toEqual([2, 3]);
    expect(run.done(3).effects('effect.runTool')).toEqual([4]);
    expect(run.done(2).effects('effect.runTool')).toEqual([5]);
    expect(run.done(5).done(4).path).toBe(requesting);
  });

  it.each(['idempotent', 'probe', 'unsafe'] as const)('run alone and in order when they are %s', (kind) => {
    const run = PureRun.started().ask('readonly', kind, kind, 'readonly');
    expect(run.effects('effect.runTool')).toEqual([2]);
    expect(run.done(2).effects('effect.runTool')).toEqual([3]);
    expect(run.done(3).effects('effect.runTool')).toEqual([4]);
    expect(run.done(4).effects('effect.runTool')).toEqual([5]);
  });

  it('never pass a neighbour that must run alone', () => {
    const run = PureRun.started().ask('readonly', 'readonly', 'unsafe', 'readonly');
    expect(run.effects('effect.runTool')).toEqual([2, 3]);
    expect(run.done(2).effects('effect.runTool')).toEqual([]);
    expect(run.done(3).effects('effect.runTool')).toEqual([4]);
    expect(run.done(4).effects('effect.runTool')).toEqual([5]);
  });

  it('lead to one model call, when the last of them is settled', () => {
    const run = PureRun.started().ask('readonly', 'readonly');
    expect(run.fail(2).effects('effect.callModel')).toEqual([]);
    expect(run.done(3).effects('effect.callModel')).toEqual([4]);
  });

  it('are the model’s to repair when all were refused: it is asked again at once', () => {
    const run = PureRun.started().ask('refuse mistake');
    expect([run.path, run.context.pending]).toEqual([requesting, []]);
  });

  it('fail one by one: a failing call takes no other with it', () => {
    const run = PureRun.started().ask('readonly', 'readonly', 'unsafe');
    expect([run.fail(2).calls('started'), run.fail(3).calls('started')]).toEqual([[3], [4]]);
  });
});

describe('a message while calls run', () => {
  it('skips the calls that have not begun, and lets the others finish', () => {
    const run = PureRun.started({ parallel: 1 }).ask('readonly', 'readonly', 'unsafe').message();
    expect([run.path, run.calls('started'), [...run.closed]]).toEqual([
      executing,
      [2],
      [
        [3, ['SKIPPED']],
        [4, ['SKIPPED']],
      ],
    ]);
    expect(run.done(2).path).toBe(requesting);
  });

  it('starts nothing twice', () => {
    const run = PureRun.started().ask('readonly', 'readonly').message();
    expect([run.effects('effect.runTool'), run.calls('started')]).toEqual([[], [2, 3]]);
  });

  it('is seen by the next call', () => {
    const run = PureRun.started().ask('readonly').message();
    expect(run.context.unseen).toBe(1);
    expect(run.done(2).context.unseen).toBe(0);
  });

  it('is seen even when the answer with the calls came after it', () => {
    const run = PureRun.started().message().ask('readonly', 'ask unsafe');
    expect([run.path, [...run.closed.keys()]]).toEqual([requesting, [2, 3]]);
  });
});

describe('cancel', () => {
  it.each([
    ['the model thinks', () => PureRun.started(), [1], []],
    [
      'calls run',
      () => PureRun.started({ parallel: 2 }).ask('readonly', 'readonly', 'unsafe'),
      [2, 3],
      [2, 3, 4],
    ],
    ['a person is asked', () => PureRun.started().ask('ask unsafe', 'readonly'), [], [2, 3]],
    ['a call’s fate is unknown', () => PureRun.started().ask('unsafe', 'unsafe').doubt(2), [], [2, 3]],
    ['the flush runs', () => PureRun.started().tooBig(), [2], []],
    ['the summary is written', () => PureRun.started().tooBig().flushed(), [3], []],
  ] as const)(
    'while %s aborts what is in flight and closes every open call once',
    (_, make, aborted, closed) => {
      const run = make().cancel();
      expect([run.path, run.aborted, [...run.closed.keys()].sort()]).toEqual(['cancelled', aborted, closed]);
      expect([...run.closed.values()].every((codes) => codes.length === 1)).toBe(true);
      expect([run.timers.size, run.inFlight.size]).toEqual([0, 0]);
    },
  );

  it('says of a running call that it may have taken effect, of a waiting one that it was not run', () => {
    const run = PureRun.started({ parallel: 1 }).ask('readonly', 'readonly').cancel();
    expect([...run.closed]).toEqual([
      [2, ['ABORTED']],
      [3, ['CANCELLED']],
    ]);
  });
});
