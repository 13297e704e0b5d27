import type { BigNumber, FactoryFunctionMap, MathJsInstance } from 'mathjs';
import { create, parserFactories, unitFactories } from './factories.ts';

export type { BigNumber, MathJsInstance, MathNode, Unit } from 'mathjs';

/** Significant digits of all arithmetic: integers below 10^64 are exact. */
export const precision = 64;

let parser: MathJsInstance | undefined;
let converter: MathJsInstance | undefined;

/** mathjs with decimal numbers, for parsing. Import the modules of this folder when there is something to compute. */
export function mathjs(): MathJsInstance {
  parser ??= instanceOf(parserFactories);
  return parser;
}

/** The same for units, with numbers of its own. */
export function mathUnits(): MathJsInstance {
  converter ??= instanceOf(unitFactories);
  return converter;
}

function instanceOf(factories: FactoryFunctionMap): MathJsInstance {
  // `create(all, config)` of 15.2.0 ignores its second argument in the bundle.
  const instance = create(factories);
  instance.config({ number: 'BigNumber', precision });
  return instance;
}

/** mathjs' class of decimal numbers (https://mikemcl.github.io/decimal.js), which its types leave out. */
interface DecimalClass {
  new (value: BigNumber): BigNumber;
  clone(options: { precision: number }): DecimalClass;
}

/** The same number for arithmetic in another precision: results computed from it have that many digits. */
export function inPrecision(value: BigNumber, digits: number): BigNumber {
  const Decimal = value.constructor as DecimalClass;
  return new (Decimal.clone({ precision: digits }))(value);
}
