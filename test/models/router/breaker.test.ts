import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Breakers, type Health, type Pass } from '../../../src/models/router/breaker.ts';
import { fakeClock } from '../../../src/testing/index.ts';

const config = { failures: 3, openMs: 30_000 };

function setup(over: Partial<typeof config> = {}) {
  const clock = fakeClock();
  const breakers = new Breakers({ ...config, ...over }, clock);
  const call = (health: Health, key = 'a') => {
    const pass = breakers.enter(key);
    pass?.settle(health);
    return pass !== null;
  };
  const fail = (times: number, key?: string) => {
    for (let i = 0; i < times; i++) call('unhealthy', key);
  };
  return { clock, breakers, call, fail };
}

describe('a circuit', () => {
  it('opens with the last of so many failures in a row', () => {
    const { breakers, fail } = setup();
    fail(2);
    expect(breakers.waitMs('a')).toBe(0);
    fail(1);
    expect(breakers.waitMs('a')).toBe(30_000);
    expect(breakers.enter('a')).toBeNull();
  });

  it.each([3_600_000, -3_600_000])('is open for as long when the clock is set by %d ms', async (ms) => {
    const { clock, breakers, fail } = setup();
    fail(3);
    await clock.step(ms);
    expect(breakers.waitMs('a')).toBe(30_000);
    await clock.advance(30_000);
    expect(breakers.waitMs('a')).toBe(0);
  });

  it('counts from the start again after a success', () => {
    const { breakers, call, fail } = setup();
    fail(2);
    call('healthy');
    fail(2);
    expect(breakers.waitMs('a')).toBe(0);
  });

  it('neither counts nor forgets for an end that tells nothing', () => {
    const { breakers, call, fail } = setup();
    fail(2);
    call('unknown');
    expect(breakers.waitMs('a')).toBe(0);
    fail(1);
    expect(breakers.waitMs('a')).toBe(30_000);
  });

  it('forgets failures that lie ten minutes back', async () => {
    const { clock, breakers, fail } = setup();
    fail(2);
    await clock.advance(10 * 60_000);
    fail(2);
    expect(breakers.waitMs('a')).toBe(0);
  });

  it('is one for each key', () => {
    const { breakers, fail } = setup();
    fail(3, 'a');
    expect(breakers.waitMs('b')).toBe(0);
  });

  it('never opens where that is switched off', () => {
    const { breakers, fail } = setup({ failures: 0 });
    fail(100);
    expect(breakers.waitMs('a')).toBe(0);
  });

  it('says how much of its time is left', async () => {
    const { clock, breakers, fail } = setup();
    fail(3);
    await clock.advance(12_000);
    expect(breakers.waitMs('a')).toBe(18_000);
  });
});

describe('a circuit whose time is over', () => {
  async function halfOpen() {
    const made = setup();
    made.fail(3);
    await made.clock.advance(config.openMs);
    return made;
  }

  it('lets one call through, and no other while that goes on', async () => {
    const { breakers } = await halfOpen();
    expect(breakers.waitMs('a')).toBe(0);
    expect(breakers.enter('a')).not.toBeNull();
    expect(breakers.enter('a')).toBeNull();
    expect(breakers.waitMs('a')).toBe(5_000);
  });

  it('closes when that call goes well', async () => {
    const { breakers, call, fail } = await halfOpen();
    call('healthy');
    expect(breakers.waitMs('a')).toBe(0);
    fail(2);
    call('healthy');
    fail(2);
    expect(breakers.waitMs('a')).toBe(0);
  });

  it('opens for the whole time when that call fails', async () => {
    const { breakers, call } = await halfOpen();
    call('unhealthy');
    expect(breakers.waitMs('a')).toBe(config.openMs);
  });

  it('lets the next one try when that call leaves the health unknown', async () => {
    const { breakers, call } = await halfOpen();
    call('unknown');
    expect(breakers.enter('a')).not.toBeNull();
  });
});

describe('late news', () => {
  it('of a call that began before the circuit opened change nothing while it is open', async () => {
    const { clock, breakers, fail } = setup();
    const [good, bad] = [breakers.enter('a'), breakers.enter('a')];
    fail(3);
    await clock.advance(10_000);
    bad?.settle('unhealthy');
    expect(breakers.waitMs('a')).toBe(20_000);
    good?.settle('healthy');
    expect(breakers.waitMs('a')).toBe(20_000);
  });

  it('do not open it again once it has closed', async () => {
    const { clock, breakers, call, fail } = setup();
    const slow = [1, 2, 3].map(() => breakers.enter('a'));
    await clock.advance(1);
    fail(3);
    await clock.advance(config.openMs);
    call('healthy');
    for (const pass of slow) pass?.settle('unhealthy');
    expect(breakers.waitMs('a')).toBe(0);
  });
});

describe('whatever happens', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('enter' as const) }),
    fc.record({
      do: fc.constant('settle' as const),
      which: fc.nat(9),
      health: fc.constantFrom<Health>('healthy', 'unhealthy', 'unknown'),
    }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  );

  it('the circuit lets a call through again, at the latest when its time is over and no trial runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let now = 0;
        const clock = { now: () => now, wakeAt: () => () => {}, hold: () => () => {} };
        const breakers = new Breakers(config, clock);
        const open: Pass[] = [];
        for (const one of steps) {
          if (one.do === 'wait') now += one.ms;
          if (one.do === 'settle') open.splice(one.which, 1)[0]?.settle(one.health);
          if (one.do !== 'enter') continue;
          const waitMs = breakers.waitMs('a');
          const pass = breakers.enter('a');
          expect(pass === null).toBe(waitMs > 0);
          expect(waitMs).toBeLessThanOrEqual(config.openMs);
          if (pass) open.push(pass);
        }
        for (const pass of open) pass.settle('unknown');
        now += config.openMs;
        expect(breakers.enter('a')).not.toBeNull();
      }),
    );
  });
});
