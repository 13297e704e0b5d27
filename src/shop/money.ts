import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { DetentError } from '../protocol/error.ts';

z.config(en());

/** An amount in the smallest unit of its currency: 15978 and `USD` are $159.78. */
export const money = z.strictObject({
  minor: z.int(),
  currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'a currency is three capital letters (ISO 4217)')),
});
export type Money = z.infer<typeof money>;

const decimal = /^(-?)(\d{1,12})(?:\.(\d+))?$/;

/** Digits after the point, by ISO 4217, as ICU knows them. */
export function digitsOf(currency: string): number {
  try {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    return maximumFractionDigits ?? 2;
  } catch (cause) {
    throw new DetentError('INVALID_AMOUNT', `${JSON.stringify(currency)} is not a currency of ISO 4217`, {
      cause,
    });
  }
}

/**
 * Reads a decimal digit by digit, never as a floating-point number.
 *
 * @throws DetentError `INVALID_AMOUNT` for text that is no decimal, or has more digits than the currency.
 */
export function moneyOf(text: string, currency: string): Money {
  const [, sign, whole = '', fraction = ''] = decimal.exec(text.trim()) ?? [];
  const digits = digitsOf(currency);
  const kept = fraction.slice(0, digits).padEnd(digits, '0');
  if (sign === undefined || /[1-9]/.test(fraction.slice(digits)))
    throw new DetentError(
      'INVALID_AMOUNT',
      `${JSON.stringify(text)} is not an amount in ${currency}: write it as ${digits > 0 ? `12.${'5'.padEnd(digits, '0')}` : '12'}`,
    );
  const minor = Number(`${whole}${kept}`);
  return { minor: sign === '-' && minor !== 0 ? -minor : minor, currency };
}

/** As a decimal, without its currency: `159.78`. */
function decimalOf({ minor, currency }: Money): string {
  const digits = digitsOf(currency);
  const all = String(Math.abs(minor)).padStart(digits + 1, '0');
  const sign = minor < 0 ? '-' : '';
  return digits === 0 ? `${sign}${all}` : `${sign}${all.slice(0, all.length - digits)}.${all.slice(-digits)}`;
}

/** For people and models: `159.78 USD`. */
export function moneyText(amount: Money): string {
  return `${decimalOf(amount)} ${amount.currency}`;
}

/** @throws DetentError `CURRENCIES_DIFFER`. */
export function plus(one: Money, other: Money): Money {
  return { minor: one.minor + sameCurrency(one, other).minor, currency: one.currency };
}

export function minus(one: Money, other: Money): Money {
  return { minor: one.minor - sameCurrency(one, other).minor, currency: one.currency };
}

export function times(amount: Money, count: number): Money {
  return { minor: amount.minor * count, currency: amount.currency };
}

export function sumOf(amounts: readonly Money[], currency: string): Money {
  return amounts.reduce(plus, { minor: 0, currency });
}

function sameCurrency(one: Money, other: Money): Money {
  if (one.currency === other.currency) return other;
  throw new DetentError('CURRENCIES_DIFFER', `${moneyText(one)} and ${moneyText(other)} cannot be added`);
}
