import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/text/wording.ts';

describe('the nearest name', () => {
  it.each([
    ['red_file', 'read_file'],
    ['ReadFile', 'read_file'],
    ['raed_file', 'read_file'],
    ['calculater', 'calculator'],
    ['modle', 'model'],
  ])('to %s is %s', (wanted, name) => {
    expect(nearestName(wanted, ['read_file', 'calculator', 'model'])).toBe(name);
  });

  it('is none when nothing is near', () => {
    expect(nearestName('weather', ['read_file', 'calculator'])).toBeNull();
    expect(nearestName('x', [])).toBeNull();
  });

  it('to a name that is there is that name', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }),
        fc.nat(),
        (names, i) => {
          const name = names[i % names.length] ?? '';
          expect(nearestName(name, names)).toBe(name);
        },
      ),
    );
  });
});
