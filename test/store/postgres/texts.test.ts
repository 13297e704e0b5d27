import fc from 'fast-check';
import { expect, it } from 'vitest';
import { restored, storable } from '../../../src/store/postgres/texts.ts';

const units = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom(0, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0x30, 0x66),
  ),
  { maxLength: 12 },
);

it('texts come back as they were, and what is stored is UTF-8 without NUL', () => {
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes);
      const stored = storable(text);
      expect(restored(stored)).toBe(text);
      expect(stored).not.toContain('\0');
      expect(stored.isWellFormed()).toBe(true);
    }),
  );
});
