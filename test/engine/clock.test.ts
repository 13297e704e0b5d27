import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/engine/clock.ts';

describe('the system clock', () => {
  it('wakes for what is due already', async () => {
    await new Promise<void>((resolve) => void systemClock.wakeAt(systemClock.now() - 1_000, resolve));
  });

  it('takes a wake-up back', async () => {
    let woken = false;
    systemClock.wakeAt(systemClock.now(), () => {
      woken = true;
    })();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(woken).toBe(false);
  });

  it('does not take a month for now', async () => {
    let woken = false;
    const take = systemClock.wakeAt(systemClock.now() + 40 * 86_400_000, () => {
      woken = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    take();
    expect(woken).toBe(false);
  });
});
