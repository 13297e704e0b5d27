import { ToolFailure } from '../../protocol/tool.ts';
import type { BigNumber } from './mathjs.ts';

/** Larger results are refused, because operations on them (remainders, factorials) would take ever longer. */
const maxExponent = 1000;

/** Returns the result if it is within the limits; throws otherwise. */
export function usable(value: BigNumber): BigNumber {
  if (value.isNaN()) throw undefinedResult('the result is not a real number');
  if (!value.isFinite() || value.e > maxExponent) throw tooLarge();
  if (value.e < -maxExponent)
    throw new ToolFailure('RESULT_TOO_SMALL', `a result is closer to zero than 10^-${maxExponent}`);
  return value;
}

export function tooLarge(): ToolFailure {
  return new ToolFailure('RESULT_TOO_LARGE', `a result is beyond 10^${maxExponent}; use smaller numbers`);
}

export function undefinedResult(why: string): ToolFailure {
  return new ToolFailure('UNDEFINED_RESULT', why);
}

export function divisionByZero(): ToolFailure {
  return new ToolFailure('DIVISION_BY_ZERO', 'division by zero');
}

export function invalidExpression(why: string): ToolFailure {
  return new ToolFailure('INVALID_EXPRESSION', why);
}
