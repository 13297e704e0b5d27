import { describe, expect, it } from 'vitest';
import { failure, PureRun } from './pure-run.ts';

const requesting = 'active.working.thinking.requesting';
const flushing = 'active.working.compacting.flushing';
const summarizing = 'active.working.compacting.summarizing';

function mayCompact(run: PureRun): unknown {
  return run.actions.find(({ type }) => type === 'effect.callModel')?.params.compaction;
}

describe('a prompt that is too big', () => {
  it('is flushed, then summarised, then asked again', () => {
    const run = PureRun.started().tooBig();
    expect([run.path, run.effects('effect.flush')]).toEqual([flushing, [2]]);
    run.flushed();
    expect([run.path, run.effects('effect.compact')]).toEqual([summarizing, [3]]);
    run.compacted();
    expect([run.path, run.effects('effect.callModel'), mayCompact(run)]).toEqual([requesting, [4], true]);
    expect(run.answer().ending[0]).toBe('completed');
  });

  it('never sees a summary before the flush', () => {
    const run = PureRun.started().tooBig();
    expect(
      run.send({
        type: 'compact.done',
        effectId: run.awaiting,
        cost: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
      }),
    ).toBe(false);
    expect(run.path).toBe(flushing);
  });

  it('has a failing flush tried once more, then goes on without it, degraded', () => {
    const run = PureRun.started().tooBig().flushFails();
    expect([run.path, run.effects('effect.flush')]).toEqual([flushing, [3]]);
    run.flushFails();
    expect([run.path, run.context.loss]).toEqual([summarizing, 'memory']);
    expect(run.compacted().answer().ending[0]).toBe('completed_degraded');
  });

  it('has a failing summary tried once more, then is cut, degraded', () => {
    const run = PureRun.started().tooBig().flushed().compactFails();
    expect([run.path, run.effects('effect.compact')]).toEqual([summarizing, [4]]);
    run.compactFails();
    expect([run.path, mayCompact(run)]).toEqual([requesting, false]);
    expect(run.answer().ending[0]).toBe('completed_degraded');
  });

  it('counts the attempts of flush and summary apart', () => {
    const run = PureRun.started().tooBig().flushFails().flushed().compactFails();
    expect(run.path).toBe(summarizing);
  });

  it('is compacted three times for one answer, then cut', () => {
    const run = PureRun.started();
    for (let i = 0; i < 3; i++) run.tooBig().flushed().compacted();
    run.tooBig();
    expect([run.path, mayCompact(run), run.context.loss]).toEqual([requesting, false, 'history']);
  });

  it('is compacted again after the next answer', () => {
    const run = PureRun.started();
    for (let i = 0; i < 3; i++) run.tooBig().flushed().compacted();
    run.ask('readonly');
    run.done(run.calls('started')[0] ?? 0).tooBig();
    expect(run.path).toBe(flushing);
  });

  it('fails the run when even its newest part does not fit', () => {
    const run = PureRun.started().tooBig().flushed().compactFails().compactFails().tooBig();
    expect([run.path, ...run.ending]).toEqual(['failed', 'provider_error', 'CONTEXT_OVERFLOW']);
    expect(run.output?.error?.message).toContain('200000 tokens');
  });

  it('stays cut for the rest of the run', () => {
    const run = PureRun.started().tooBig().flushed().compactFails().compactFails().ask('readonly');
    run.done(run.calls('started')[0] ?? 0);
    expect(mayCompact(run)).toBe(false);
  });

  it('does not use up the attempts of its model call', () => {
    const error = { code: 'X', message: 'x', retryable: true };
    const run = PureRun.started({ attempts: 2 })
      .failModel({ error })
      .fire('backoff')
      .tooBig()
      .flushed()
      .compacted();
    expect(run.failModel({ error }).path).toBe('active.working.thinking.backingOff');
  });

  it('is bounded, whatever fails', () => {
    const run = PureRun.started();
    let effects = 0;
    while (run.path !== 'failed' && effects++ < 100) {
      if (run.path === requesting) run.tooBig();
      else if (run.path === flushing) run.flushFails();
      else run.compactFails();
    }
    expect([run.ending[1], effects]).toEqual(['CONTEXT_OVERFLOW', 6]);
  });
});

describe('a message while the run compacts', () => {
  it.each([
    ['flushes', () => PureRun.started().tooBig()],
    ['summarises', () => PureRun.started().tooBig().flushed()],
  ])('waits while it %s, and is seen by the next call', (_, make) => {
    const run = make();
    const before = run.path;
    run.message();
    expect([run.path, run.context.unseen]).toEqual([before, 1]);
    if (run.path === flushing) run.flushed();
    expect([run.compacted().path, run.context.unseen]).toEqual([requesting, 0]);
  });
});

describe('a prompt that was pruned', () => {
  it('is asked again at once, and may not be pruned a second time before the next answer', () => {
    const run = PureRun.started().pruned();
    expect([run.path, run.effects('effect.callModel')]).toEqual([requesting, [2]]);
    expect(run.actions.at(-1)?.params).toMatchObject({ attempt: 1, pruning: false, compaction: true });
    run.ask('readonly');
    run.done(run.calls('started')[0] ?? 0);
    expect(run.actions.at(-1)?.params).toMatchObject({ pruning: true });
  });

  it('is compacted when its host prunes it all the same', () => {
    expect(PureRun.started().pruned().pruned().path).toBe(flushing);
  });

  it('can still be compacted', () => {
    expect(PureRun.started().pruned().tooBig().path).toBe(flushing);
  });
});

describe('a run that is only to compact', () => {
  it('flushes, summarises and is done, without a model call', () => {
    const run = PureRun.compacting();
    expect([run.path, run.effects('effect.flush')]).toEqual([flushing, [1]]);
    expect(run.flushed().path).toBe(summarizing);
    expect(run.compacted().ending).toEqual(['completed', undefined]);
    expect(run.history.some(({ type }) => type === 'effect.callModel')).toBe(false);
  });

  it('fails with the reason when the summary does', () => {
    const run = PureRun.compacting().flushed().compactFails().compactFails();
    expect(run.ending).toEqual(['provider_error', failure.code]);
  });

  it('is degraded when the flush failed', () => {
    const run = PureRun.compacting().flushFails().flushFails();
    expect(run.compacted().ending[0]).toBe('completed_degraded');
  });

  it.each([
    ['queued', () => new PureRun({}, 'compact')],
    ['flushing', () => PureRun.compacting()],
    ['summarising', () => PureRun.compacting().flushed()],
  ])('answers whoever speaks to it while it is %s', (_, make) => {
    const run = make().message();
    if (run.path === 'idle') run.send({ type: 'run.start' });
    if (run.path === flushing) run.flushed();
    if (run.path === summarizing) run.compacted();
    expect([run.path, run.context.answer]).toEqual([requesting, 'none']);
    expect(run.answer().ending[0]).toBe('completed');
  });

  it('stays one that answers when it has to compact again', () => {
    const run = PureRun.compacting().message().flushed().compacted().tooBig().flushed().compacted();
    expect(run.path).toBe(requesting);
  });
});

describe('the cost of a flush', () => {
  it('is counted, whether it succeeds or not', () => {
    const cost = { inputTokens: 7, outputTokens: 3, costUsd: 0.5 };
    const run = PureRun.started().tooBig();
    run.send({ type: 'flush.failed', effectId: run.awaiting, error: failure, cost });
    run.send({ type: 'flush.done', effectId: run.awaiting, how: 'model', lines: 2, cost });
    expect(run.context).toMatchObject({ tokensIn: 14, tokensOut: 6, costUsd: 1 });
    expect(run.path).toBe(summarizing);
  });
});
