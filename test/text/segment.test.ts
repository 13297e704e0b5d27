import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateTerms, indexText, segment, Vocabulary } from '../../src/text/ranking.ts';
import { anyCharacter } from '../support/any-character.ts';

const terms = (text: string) => segment(text).map(({ term }) => term);

describe('the terms of a text', () => {
  it.each([
    ['English words by their stems', 'Running runners ran', ['run', 'runner', 'ran']],
    ['every two neighbouring Chinese characters', '我住在上海', ['我住', '住在', '在上', '上海']],
    ['a single character alone', '猫', ['猫']],
    ['both scripts of one word apart', '重跑gen-itgc后', ['重跑', 'gen', 'itgc', '后']],
    ['full-width letters like others', 'ＡＢＣ１２３', ['abc123']],
    ['letters without their accents', 'Café Zürich', ['cafe', 'zurich']],
    ['names of code whole and in parts', 'max_tokens', ['max_tokens', 'max', 'token']],
    ['nothing of comments', 'a <!-- run_x:3 --> b', ['a', 'b']],
    ['nothing of marks', '¿?—…!', []],
  ])('are %s', (_, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('are all found among those that are indexed', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const indexed = new Set(indexText(text, () => {}).split(' '));
        for (const term of terms(text)) expect(indexed).toContain(term);
      }),
    );
  });
});

describe('dates in a text', () => {
  it.each([
    '2023-04-29',
    'April 29th, 2023',
    '29 Apr 2023',
    '2023年4月29日',
    '2023/4/29',
    '29th of April 2023',
  ])('%s is the same day', (text) => {
    expect(dateTerms(`on ${text} at noon`).sort()).toEqual(['_date_04_29', '_date_2023_04_29']);
  });

  it.each(['April 29', '29 april', '4月29号', 'Apr. 29th'])('%s is that day of some year', (text) => {
    expect(dateTerms(text)).toEqual(['_date_04_29']);
  });

  it.each(['12:30', '2023-13-01', '99 may be', 'version 1.2.3', 'maybe 7'])('%s is none', (text) => {
    expect(dateTerms(text)).toEqual([]);
  });
});

describe('the stem of a word', () => {
  // From the examples of the paper.
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['feed', 'feed'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['motoring', 'motor'],
    ['conflated', 'conflat'],
    ['hopping', 'hop'],
    ['falling', 'fall'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['sky', 'sky'],
    ['relational', 'relat'],
    ['vietnamization', 'vietnam'],
    ['triplicate', 'triplic'],
    ['electrical', 'electr'],
    ['adoption', 'adopt'],
    ['probate', 'probat'],
    ['controlling', 'control'],
    ['generalizations', 'gener'],
    ['oscillators', 'oscil'],
  ])('%s is %s', (word, expected) => {
    expect(terms(word)).toEqual([expected]);
  });
});

describe('words that are spelt nearly alike', () => {
  const vocabulary = new Vocabulary();
  for (const word of ['restaurant', 'restaurants', 'painter', 'database', 'databases', 'cat'])
    vocabulary.add(word);

  it.each([
    ['restuarant', 'restaurant'],
    ['paintr', 'painter'],
    ['databse', 'database'],
  ])('%s is taken for %s first', (word, expected) => {
    expect(vocabulary.nearest(word)[0]).toBe(expected);
  });

  it.each(['cta', 'zebra', ''])('%s has none', (word) => {
    expect(vocabulary.nearest(word)).toEqual([]);
  });
});
