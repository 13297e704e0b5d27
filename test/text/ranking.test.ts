import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMisspelling, Ranking, rankedDocument, segment } from '../../src/text/ranking.ts';

const ranking = (...texts: string[]) =>
  new Ranking(texts.map((text) => rankedDocument([{ text, weight: 1 }])));
const found = (ranked: readonly { at: number }[]) => ranked.map(({ at }) => at);

describe('ranking a few texts', () => {
  const texts = ranking(
    'weather of the day',
    'brew green tea',
    'tea and the weather, tea and rain',
    '天气预报',
  );

  it('has those with the words, rare ones counting most', () => {
    expect(found(texts.rank('green tea'))).toEqual([1, 2]);
    expect(found(texts.rank('brewing'))).toEqual([1]);
    expect(found(texts.rank('明天的天气'))).toEqual([3]);
    expect(texts.rank('the and of')).toEqual([]);
    expect(texts.rank('')).toEqual([]);
    expect(ranking().rank('tea')).toEqual([]);
  });

  it('takes a word that no text has for the one that it may be a misspelling of', () => {
    expect(found(texts.rank('wether'))).toEqual(found(texts.rank('weather')));
    expect(found(texts.rank('weahter'))).toEqual(found(texts.rank('weather')));
    expect(texts.rank('breakfast grammar')).toEqual([]);
  });

  it('leaves out words that say nothing where they are asked for', () => {
    expect(found(texts.rank('tea weather', (term) => term === 'tea'))).toEqual(found(texts.rank('weather')));
  });

  it('counts the words of a part as often as it weighs', () => {
    const weighed = new Ranking([
      rankedDocument([{ text: 'tea', weight: 1 }]),
      rankedDocument([{ text: 'tea', weight: 3 }]),
    ]);
    expect(found(weighed.rank('tea'))).toEqual([1, 0]);
  });

  it('scores from 0 to 1, and more the more of what was asked for is there', () => {
    const [all] = texts.rank('green tea');
    const [half] = texts.rank('green unheardof');
    expect(all?.score).toBeGreaterThan(half?.score ?? 1);
    const word = fc.constantFrom('tea', 'green', 'rain', 'day', 'unheardof', '天气', 'wether');
    fc.assert(
      fc.property(fc.array(word), (words) => {
        for (const { score } of texts.rank(words.join(' '))) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('reads the beginning and the end of a long text', () => {
    const padding = 'word '.repeat(5_000);
    expect(found(texts.rank(`green ${padding} rain`)).sort()).toEqual([1, 2]);
    expect(texts.rank(`${padding} green ${padding}`)).toEqual([]);
  });
});

describe('a misspelling', () => {
  it.each([
    ['wether', 'weather'],
    ['weahter', 'weather'],
    ['forxcast', 'forecasts'],
    ['brianstorm', 'brainstorming'],
    ['implxmentatoin', 'implementation'],
  ])('may be %s of %s', (word, meant) => {
    expect(isMisspelling(word, meant)).toBe(true);
  });

  it.each([
    ['press', 'progress'],
    ['search', 'research'],
    ['hello', 'help'],
    ['terminal', 'internal'],
    ['everest', 'every'],
  ])('is not %s of %s', (word, meant) => {
    expect(isMisspelling(word, meant)).toBe(false);
  });
});

describe('the terms of a text of ASCII', () => {
  it('are those that they are beside other letters', () => {
    const ascii = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'abY_ 019-/.,<!->\n\t') }),
      fc.constantFrom('max_tokens', '2023-04-29', 'April 29th, 2023', '<!-- run -->', 'Running'),
    );
    fc.assert(
      fc.property(fc.array(ascii), (parts) => {
        const text = parts.join(' ');
        const beside = segment(`${text} ß`).filter(({ term }) => term !== 'ß');
        expect(segment(text)).toEqual(beside);
      }),
      { numRuns: 2_000 },
    );
  });
});
