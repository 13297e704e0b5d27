import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { normalPath } from '../../../src/tools/files/glob.ts';

it('a path is made normal as Node does it', () => {
  const segment = fc.constantFrom('', '.', '..', 'a', '...', 'b.c', ' ', '日');
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const path = segments.join('/');
      expect(normalPath(path)).toBe(posix.normalize(path));
    }),
    { numRuns: 2_000 },
  );
});
