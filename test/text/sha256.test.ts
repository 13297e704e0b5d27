import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digest, hex, sha256 } from '../../src/text/ids.ts';

describe('SHA-256 without Node', () => {
  it('is that of Node, for each length around the ends of blocks', () => {
    for (const length of [...Array(200).keys(), 1_000, 70_001]) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
      const nodes = createHash('sha256').update(bytes).digest('hex');
      expect(hex(digest(bytes)), String(length)).toBe(nodes);
      expect(hex(sha256(bytes))).toBe(nodes);
    }
  });

  it('reads a text as UTF-8', () => {
    const text = 'grüß 你好 🛒';
    expect(hex(digest(new TextEncoder().encode(text)))).toBe(hex(sha256(text)));
  });
});
