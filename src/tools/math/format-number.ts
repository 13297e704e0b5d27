import { type BigNumber, precision } from './mathjs.ts';

/** Extra digits that are shown if the number has no more: 12345678901.12345678 stays exact. */
const spareDigits = 5;

/**
 * A number as plain text: integers exactly, others with as many digits as they have or, when those are too many,
 * rounded to `digits` significant ones. Very large and small numbers in exponent form.
 */
export function formatNumber(value: BigNumber, digits: number): string {
  if (value.isZero()) return '0';
  if (value.isInteger() && value.e < precision) return value.toFixed();
  const tooLong = value.precision() > digits + spareDigits;
  const rounded = tooLong ? value.toSignificantDigits(digits) : value;
  return rounded.e < -7 || rounded.e > 20 ? rounded.toExponential() : rounded.toFixed();
}
