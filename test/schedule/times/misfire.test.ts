import { describe, expect, it } from 'vitest';
import { misfire, misfirePolicyOf } from '../../../src/schedule/times/misfire.ts';

const minutes = (...values: number[]) => values.map((value) => value * 60_000);
const thresholdMs = 60_000;
/** Slots of each ten minutes, seen at minute 35. */
const late = { dueMs: minutes(10, 20, 30), nowMs: 35 * 60_000, thresholdMs };
const missed = (reason: string, ...values: number[]) =>
  minutes(...values).map((slotMs) => ({ slotMs, reason }));

describe('missed slots', () => {
  it('fire none of them under skip', () => {
    expect(misfire('skip', late)).toEqual({ fire: [], missed: missed('skipped', 10, 20, 30) });
  });

  it('fire the newest for all under once', () => {
    expect(misfire('once', late)).toEqual({ fire: minutes(30), missed: missed('combined', 10, 20) });
  });

  it('fire each of them under all', () => {
    expect(misfire('all', late)).toEqual({ fire: minutes(10, 20, 30), missed: [] });
  });

  it('expire when they are older than the window', () => {
    const windowMs = 20 * 60_000;
    expect(misfire('all', { ...late, windowMs })).toEqual({
      fire: minutes(20, 30),
      missed: missed('expired', 10),
    });
    expect(misfire('once', { ...late, windowMs })).toEqual({
      fire: minutes(30),
      missed: [...missed('expired', 10), ...missed('combined', 20)],
    });
    expect(misfire('once', { ...late, windowMs: 60_000 })).toEqual({
      fire: [],
      missed: missed('expired', 10, 20, 30),
    });
  });

  it.each(['skip', 'once', 'all'] as const)(
    'are none while the oldest is within the threshold: %s',
    (policy) => {
      const inTime = { dueMs: minutes(10, 10.5), nowMs: 11 * 60_000, thresholdMs };
      expect(misfire(policy, inTime)).toEqual({ fire: minutes(10, 10.5), missed: [] });
      expect(misfire(policy, { ...inTime, nowMs: inTime.nowMs + 1 }).fire.length).toBe(
        { skip: 0, once: 1, all: 2 }[policy],
      );
    },
  );

  it.each(['skip', 'once', 'all'] as const)('are none when nothing is due: %s', (policy) => {
    expect(misfire(policy, { dueMs: [], nowMs: 0, thresholdMs })).toEqual({ fire: [], missed: [] });
  });

  it('does not lose one when the clock was set back', () => {
    expect(misfire('skip', { dueMs: minutes(10), nowMs: 0, thresholdMs }).fire).toEqual(minutes(10));
  });
});

describe('the policy for missed slots', () => {
  it.each([
    ['skip', 'skip'],
    ['do_nothing', 'skip'],
    ['FIRE_ONCE_NOW', 'once'],
    ['ignore_misfires', 'all'],
  ])('%s is %s', (word, policy) => expect(misfirePolicyOf(word)).toBe(policy));

  it.each(['Skip', 'constructor', '', null, 1])('refuses %j', (word) => {
    expect(() => misfirePolicyOf(word)).toThrow(expect.objectContaining({ code: 'INVALID_SCHEDULE' }));
  });
});
