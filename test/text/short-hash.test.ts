import { describe, expect, it } from 'vitest';
import { shortHash } from '../../src/text/ids.ts';

describe('the short hash', () => {
  it('is eleven characters of base 36, the same for the same text', () => {
    for (const text of ['', 'a', 'x'.repeat(10_000), '漢字 🚀']) {
      expect(shortHash(text)).toMatch(/^[0-9a-z]{11}$/);
      expect(shortHash(text)).toBe(shortHash(text));
    }
  });

  it('tells 200,000 texts apart that differ in a digit', () => {
    const hashes = new Set(Array.from({ length: 200_000 }, (_, i) => shortHash(`{"steps":${i}}`)));
    expect(hashes.size).toBe(200_000);
  });
});
