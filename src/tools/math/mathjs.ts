import { createRequire } from 'node:module';
import type { BigNumber, MathJsInstance } from 'mathjs';

export type { BigNumber, MathJsInstance, MathNode, Unit } from 'mathjs';

/** Significant digits of all arithmetic: integers below 10^64 are exact. */
export const precision = 64;

const require = createRequire(import.meta.url);
let instance: MathJsInstance | undefined;

/**
 * mathjs with decimal numbers, loaded on first use.
 *
 * It loads the published bundle: the ES modules, some 1,600 files, hold the event loop for 0.7 s, the bundle for
 * 0.08 s (both measured on the build machine, Node 24.21).
 */
export function mathjs(): MathJsInstance {
  if (!instance) {
    const bundle: typeof import('mathjs') = require('mathjs/lib/browser/math.js');
    // `create(all, config)` of 15.2.0 ignores its second argument in the bundle.
    instance = bundle.create(bundle.all ?? {});
    instance.config({ number: 'BigNumber', precision });
  }
  return instance;
}

/** mathjs' class of decimal numbers (https://mikemcl.github.io/decimal.js), which its types leave out. */
interface DecimalClass {
  new (value: BigNumber): BigNumber;
  clone(options: { precision: number }): DecimalClass;
}

/** The same number for arithmetic in another precision: results computed from it have that many digits. */
export function inPrecision(value: BigNumber, digits: number): BigNumber {
  const Decimal = value.constructor as unknown as DecimalClass;
  return new (Decimal.clone({ precision: digits }))(value);
}
