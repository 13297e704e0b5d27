import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDetent } from '../../../src/index.ts';
import { limits } from '../../../src/protocol/config/limits.ts';
import { checkLimits, limitKinds } from '../../../src/protocol/enums.ts';

const fails = (check: () => unknown) => {
  try {
    check();
    return false;
  } catch {
    return true;
  }
};

describe('limits', () => {
  it('are checked when a Detent is created, before anything is loaded', () => {
    expect(() => createDetent({ limits: { maxSteps: -1, maxCostUsd: Number.NaN } })).toThrow(
      'createDetent is not valid: limits.maxSteps: expected a whole number from 1; limits.maxCostUsd: expected a number above 0',
    );
    expect(() => createDetent({ limits: { maxStep: 1 } as object })).toThrow(
      'limits.maxStep: there is no such field',
    );
    expect(() => createDetent({ limits: 5 as never })).toThrow('limits: expected an object');
  });

  it('have one list of names for both checks, and both agree on every value', () => {
    expect(Object.keys(limits.fields).sort()).toEqual(Object.keys(limitKinds).sort());
    const value = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, '1', null, true, {}, undefined));
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(limitKinds)), value, (name, given) => {
        const plain = fails(() => checkLimits({ [name]: given }, 'it'));
        expect(plain).toBe(!limits.schema.safeParse({ [name]: given }).success);
      }),
    );
  });
});
