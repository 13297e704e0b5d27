import { afterEach, describe, expect, it } from 'vitest';
import { timeOfDay } from '../../../../../web/src/base/format.ts';
import { chooseLanguage } from '../../../../../web/src/base/language.ts';
import { ticksOf } from '../../../../../web/src/pages/inspector/timeline/ticks.ts';

const piece = (from: number, to: number, x0: number, x1: number, isBreak = false) => {
  return { from, to, x0, x1, isBreak };
};
const words = (...args: Parameters<typeof ticksOf>) => ticksOf(...args).map(({ text }) => text);

afterEach(() => chooseLanguage('en'));

describe('the marks of the axis', () => {
  it('tell seconds, minutes, hours or days, whatever has room', () => {
    expect(words([piece(0, 20_000, 0, 400)], 0)).toEqual(['0', '5 s', '10 s', '15 s', '20 s']);
    expect(words([piece(0, 700, 0, 700)], 0)).toEqual([
      '0',
      '0.1 s',
      '0.2 s',
      '0.3 s',
      '0.4 s',
      '0.5 s',
      '0.6 s',
      '0.7 s',
    ]);
    expect(words([piece(0, 180_000, 0, 300)], 0)).toEqual(['0', '1 m 00 s', '2 m 00 s', '3 m 00 s']);
    expect(words([piece(0, 7_200_000, 0, 200)], 0)).toEqual(['0', '1 h 00 m', '2 h 00 m']);
    expect(words([piece(0, 172_800_000, 0, 200)], 0)).toEqual(['0', '1 d 0 h', '2 d 0 h']);
  });

  it('of a part of a run count from its beginning, as exactly as they must', () => {
    expect(words([piece(12_300, 13_000, 0, 300)], 0)).toEqual(['12.4 s', '12.6 s', '12.8 s', '13.0 s']);
    expect(words([piece(125_000, 125_400, 0, 200)], 0)).toEqual(['2 m 05.0 s', '2 m 05.2 s', '2 m 05.4 s']);
  });

  it('behind a break begin with the time of day', () => {
    const morning = Date.UTC(2026, 10, 23, 8);
    const pieces = [
      piece(0, 1_000, 0, 100),
      piece(1_000, morning, 100, 150, true),
      piece(morning, morning + 2_000, 150, 350),
    ];
    expect(words(pieces, 0)).toEqual(['0', '1 s', timeOfDay(morning, true), '+1 s', '+2 s']);
  });

  it('are written in the language of the page', () => {
    chooseLanguage('zh-CN');
    expect(words([piece(0, 10_000, 0, 200)], 0)).toEqual(['0', '5 秒', '10 秒']);
  });
});
