import type { BigNumber } from './mathjs.ts';
import {
  big,
  cosine,
  factorial,
  greatestCommonDivisor,
  inverse,
  leastCommonMultiple,
  logarithm,
  modulo,
  power,
  roundTo,
  sine,
  squareRoot,
  tangent,
} from './operations.ts';

interface MathFunction {
  least: number;
  most: number;
  apply(...args: BigNumber[]): BigNumber;
}

const many = 100;

/** All functions that an expression may call. Other functions of mathjs are refused. */
export const functions: ReadonlyMap<string, MathFunction> = new Map([
  ['sqrt', unary(squareRoot)],
  ['cbrt', unary((x) => x.cbrt())],
  ['abs', unary((x) => x.abs())],
  ['sign', unary((x) => big(x.isZero() ? 0 : x.lt(0) ? -1 : 1))],
  ['floor', unary((x) => x.floor())],
  ['ceil', unary((x) => x.ceil())],
  ['trunc', unary((x) => x.trunc())],
  ['sin', unary(sine)],
  ['cos', unary(cosine)],
  ['tan', unary(tangent)],
  ['asin', unary((x) => inverse('asin', x))],
  ['acos', unary((x) => inverse('acos', x))],
  ['atan', unary((x) => inverse('atan', x))],
  ['exp', unary((x) => x.exp())],
  ['ln', unary((x) => logarithm(x))],
  ['log10', unary((x) => logarithm(x, big(10)))],
  ['lg', unary((x) => logarithm(x, big(10)))],
  ['log2', unary((x) => logarithm(x, big(2)))],
  ['factorial', unary(factorial)],
  ['pow', binary(power)],
  ['mod', binary(modulo)],
  ['log', { least: 1, most: 2, apply: logarithm as MathFunction['apply'] }],
  ['round', { least: 1, most: 2, apply: roundTo as MathFunction['apply'] }],
  ['min', folding((a, b) => (a.lte(b) ? a : b))],
  ['max', folding((a, b) => (a.gte(b) ? a : b))],
  ['sum', folding((a, b) => a.plus(b))],
  ['gcd', folding(greatestCommonDivisor)],
  ['lcm', folding(leastCommonMultiple)],
]);

function unary(apply: (x: BigNumber) => BigNumber): MathFunction {
  return { least: 1, most: 1, apply: apply as MathFunction['apply'] };
}

function binary(apply: (a: BigNumber, b: BigNumber) => BigNumber): MathFunction {
  return { least: 2, most: 2, apply: apply as MathFunction['apply'] };
}

function folding(combine: (a: BigNumber, b: BigNumber) => BigNumber): MathFunction {
  return { least: 1, most: many, apply: (...args) => args.reduce(combine) };
}
