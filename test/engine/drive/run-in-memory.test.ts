import { describe, expect, it } from 'vitest';
import type { HotRun } from '../../../src/engine/commit/commit.ts';
import type { Attempt } from '../../../src/engine/drive/attempt.ts';
import { ProcessHold, RunInMemory } from '../../../src/engine/drive/run-in-memory.ts';
import type { Fact } from '../../../src/engine/machine/machine-host.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';

const hot = {} as HotRun;

class Run extends RunInMemory {
  hasLeft = false;

  protected leave(): void {
    this.hasLeft = true;
  }
}

function open() {
  let holds = 0;
  const hold = () => {
    holds++;
    return () => void holds--;
  };
  const clock = { ...fakeClock(), hold };
  const run = new Run({ tenant: 1, id: 'r1' }, { clock, moving: new ProcessHold(clock) });
  return { run, holds: () => holds };
}

function attempt(): Attempt & { end(fact: Fact): void } {
  const { promise, resolve } = Promise.withResolvers<Fact>();
  return { place: { run: 1, n: 1, fence: 1 }, abort: new AbortController(), fact: promise, end: resolve };
}

describe('what a process has of a run', () => {
  it('leaves the memory when its last turn is over', async () => {
    const { run } = open();
    const first = run.inTurn(async () => 1);
    const second = run.inTurn(async () => 2);
    await first;
    expect(run.hasLeft).toBe(false);
    expect(await second).toBe(2);
    await run.settled();
    expect(run.hasLeft).toBe(true);
  });

  it('does its work one after the other, also after work that failed', async () => {
    const { run } = open();
    const order: string[] = [];
    const failing = run.inTurn(async () => {
      order.push('first begins');
      await null;
      order.push('first ends');
      throw new Error('no');
    });
    const next = run.inTurn(async () => void order.push('second'));
    await expect(failing).rejects.toThrow('no');
    await next;
    expect(order).toEqual(['first begins', 'first ends', 'second']);
  });

  it('stays while it moves, also when it is unknown whether its last commit was written', async () => {
    const { run } = open();
    run.keep(hot);
    await run.inTurn(async () => run.forget());
    await run.settled();
    expect(run.hasLeft).toBe(false);
    run.letGo();
    expect(run.hasLeft).toBe(true);
  });

  it('stays while it stands still', async () => {
    const { run } = open();
    run.standStill();
    await run.inTurn(async () => {});
    await run.settled();
    expect(run.hasLeft).toBe(false);
    run.tryAgain();
    run.letGo();
    expect(run.hasLeft).toBe(true);
  });

  it('stays while work spans several turns', async () => {
    const { run } = open();
    const between = Promise.withResolvers<void>();
    const works = async () => {
      using _use = run.use();
      await run.inTurn(async () => {});
      await between.promise;
      await run.inTurn(async () => {});
    };
    const work = works();
    await run.settled();
    expect(run.hasLeft).toBe(false);
    between.resolve();
    await work;
    expect(run.hasLeft).toBe(true);
  });

  it('keeps the process alive as long as it moves', () => {
    const { run, holds } = open();
    run.keep(hot);
    expect(holds()).toBe(1);
    run.keep(hot);
    run.letGo();
    expect(holds()).toBe(0);
  });

  it('ends a standstill when a driver has taken the run', () => {
    const { run } = open();
    const stall = run.standStill();
    expect(run.isStalled).toBe(true);
    run.keepTaken(hot);
    expect([stall.isOver, run.isStalled, run.isMoving]).toEqual([true, false, true]);
  });
});

describe('the effects of a run', () => {
  it('give their facts, unless they were aborted', async () => {
    const { run } = open();
    const fact: Fact = { event: { type: 'tool.done', effectId: 1 } };
    const [kept, aborted] = [attempt(), attempt()];
    const facts = [run.fly(1, kept), run.fly(2, aborted)];
    expect(run.isBusy).toBe(true);
    run.abort(2);
    kept.end(fact);
    aborted.end(fact);
    expect(await Promise.all(facts)).toEqual([fact, null]);
    expect(run.isBusy).toBe(false);
  });

  it('are aborted once, however often they are told to', () => {
    const { run } = open();
    void run.fly(1, attempt());
    expect(run.abortAll()).toHaveLength(1);
    expect(run.abortAll()).toHaveLength(0);
  });

  it('count as in flight when an effect is performed again before its aborted attempt has ended', async () => {
    const { run } = open();
    const [first, second] = [attempt(), attempt()];
    const fact: Fact = { event: { type: 'tool.done', effectId: 1 } };
    const early = run.fly(1, first);
    run.abort(1);
    void run.fly(1, second);
    first.end(fact);
    expect(await early).toBeNull();
    expect(run.isBusy).toBe(true);
  });
});
