import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { argumentsHash } from '../../src/store/stored-call.ts';

it('the hash of arguments is SHA-256 of their UTF-8 bytes, in hex', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      expect(argumentsHash(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
    }),
  );
});
