import fc from 'fast-check';
import { expect, it } from 'vitest';
import { starMatcher } from '../../src/tools/files/glob.ts';

it('a star stands for any characters, and everything else for itself', () => {
  const letters = (alphabet: string, maxLength: number) =>
    fc.array(fc.constantFrom(...alphabet), { maxLength }).map((list) => list.join(''));
  fc.assert(
    fc.property(letters('ab.*', 5), letters('ab.', 8), (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(starMatcher(pattern)(text)).toBe(expression.test(text));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['*'.repeat(200), '!'],
  ['*a'.repeat(100), '!'],
])('many stars take no time: %s', (stars, end) => {
  expect(starMatcher(`${stars}${end}`)('a'.repeat(300))).toBe(false);
  expect(starMatcher(stars)('a'.repeat(300))).toBe(true);
});
