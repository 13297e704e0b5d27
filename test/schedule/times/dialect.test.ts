import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../src/schedule/times/check-cron.ts';

describe('the dialect of an expression that comes without one', () => {
  it.each([
    '0 9 * * 1-5',
    '*/5 * * * *',
    '0 0 9 * * 1',
    '0 0 1 JUL *',
    '0 0 * * WED',
    '0 0 * * wed,sun',
    '0 0 1 APRIL *',
    '0 0 1 July-August *',
    '0 0 * * WEDNESDAY',
    '@daily',
    '@weekly',
    '@yearly',
    '@monthly',
  ])('%s is unix', (expression) => expect(dialectOf(expression)).toBe('unix'));

  it.each([
    '0 0 9 * * ?',
    '0 0 9 L * *',
    '0 0 9 15W * *',
    '0 0 9 lw * *',
    '0 0 9 * * FRIL',
    '0 0 9 * * wedl',
    '0 0 9 * * 6L',
    '0 0 9 * JUL 6#3',
    '0 0 9 * * * 2030',
    '0 0 9 L-3 APRIL *',
  ])('%s is Quartz', (expression) => expect(dialectOf(expression)).toBe('quartz'));
});
