import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../src/agent/model-call/route.ts';
import { modelError } from '../../../src/models/wire/model-error.ts';

const passing = modelError('server', 'down');

describe('waiting before the next attempt', () => {
  it('is anything between nothing and an exponential, by chance', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), random, (attempt, chance) => {
        const delay = backoffMs(passing, attempt, () => chance) ?? -1;
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.min(20_000, 500 * 2 ** (attempt - 1)));
      }),
    );
  });

  it.each([
    [1, 250],
    [2, 500],
    [3, 1_000],
    [6, 8_000],
    [7, 10_000],
    [50, 10_000],
  ])('is on average, after attempt %i, %i ms', (attempt, delay) => {
    expect(backoffMs(passing, attempt, () => 0.5)).toBe(delay);
  });

  it('is as long as the provider asks for, without chance', () => {
    expect(backoffMs({ ...passing, retryAfterMs: 7_321 }, 1, () => 0.9)).toBe(7_321);
    expect(backoffMs({ ...passing, retryAfterMs: 0 }, 5, () => 0.9)).toBe(0);
    expect(backoffMs({ ...passing, retryAfterMs: -5 }, 1, () => 0.9)).toBe(0);
  });

  it('is not done for longer than a minute', () => {
    expect(backoffMs({ ...passing, retryAfterMs: 60_000 }, 1, () => 0)).toBe(60_000);
    expect(backoffMs({ ...passing, retryAfterMs: 60_001 }, 1, () => 0)).toBeNull();
  });

  it('is not done for longer than a minute over all attempts', () => {
    const wait = (retryAfterMs: number, waitedMs: number) =>
      backoffMs({ ...passing, retryAfterMs }, 2, () => 0, waitedMs);
    expect(wait(20_000, 40_000)).toBe(20_000);
    expect(wait(20_001, 40_000)).toBeNull();
    expect(backoffMs(passing, 7, () => 0.99, 55_000)).toBe(5_000);
    expect(backoffMs(passing, 7, () => 0.99, 60_000)).toBeNull();
  });

  it('is not done for an error that will not pass', () => {
    expect(backoffMs(modelError('auth', 'no key'), 1, () => 0)).toBeNull();
    expect(backoffMs({ ...modelError('auth', 'no key'), retryAfterMs: 5 }, 1, () => 0)).toBeNull();
  });
});
