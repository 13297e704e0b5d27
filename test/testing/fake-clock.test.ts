import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../src/testing/index.ts';

describe('the fake clock', () => {
  it('stands still until it is told', async () => {
    const clock = fakeClock(1_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.now()).toBe(1_000);
    await clock.advance(50);
    expect(clock.now()).toBe(1_050);
  });

  it('wakes sleepers in the order of their times, each at its own', async () => {
    const clock = fakeClock(0);
    const woken: [string, number][] = [];
    for (const [name, at] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
      ['late', 31],
    ] as const)
      clock.wakeAt(at, () => woken.push([name, clock.now()]));
    await clock.advance(30);
    expect(woken).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ]);
  });

  it('wakes those, too, that fall asleep on the way', async () => {
    const clock = fakeClock(0);
    const woken: number[] = [];
    const again = () => {
      woken.push(clock.now());
      clock.wakeAt(clock.now() + 10, again);
    };
    clock.wakeAt(10, again);
    await clock.advance(45);
    expect(woken).toEqual([10, 20, 30, 40]);
  });

  it('lets what follows from a wake-up settle before it goes on', async () => {
    const clock = fakeClock(0);
    let settled = 0;
    clock.wakeAt(10, async () => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 0));
      settled = clock.now();
    });
    await clock.advance(1_000);
    expect(settled).toBe(10);
  });

  it('takes a wake-up back', async () => {
    const clock = fakeClock(0);
    let woken = false;
    clock.wakeAt(10, () => {
      woken = true;
    })();
    await clock.advance(20);
    expect(woken).toBe(false);
  });

  it('needs no push for what is due already', async () => {
    const clock = fakeClock(100);
    await new Promise<void>((resolve) => void clock.wakeAt(100, resolve));
    let woken = 0;
    clock.wakeAt(50, () => woken++);
    await clock.advance(0);
    expect(woken).toBe(1);
  });

  it('holds no process', () => {
    expect(fakeClock().hold()).toBeTypeOf('function');
  });
});
