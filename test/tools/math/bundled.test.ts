import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as conversion from '../../../src/tools/math/convert-unit.ts';
import * as evaluation from '../../../src/tools/math/evaluate.ts';
import { aliases } from '../../../src/tools/math/unit-names.ts';
import { programFile } from '../../support/program.ts';
import { inSizes } from '../../support/size.ts';

const bundled = <Module>(module: string): Promise<Module> =>
  import(/* @vite-ignore */ pathToFileURL(programFile(module)).href);

/** The digits of a result, or what is wrong. */
function said(compute: () => { toString(): string }): string {
  try {
    return compute().toString();
  } catch (error) {
    return String(error);
  }
}

/** The published package has a part of mathjs; from source all of it is loaded. */
describe('the mathjs of the bundle', () => {
  const token = fc.constantFrom(
    ...[
      '1',
      '2.5',
      '1e3',
      '0',
      '10%',
      '7!',
      'pi',
      'e',
      'tau',
      'deg',
      'x',
      '+',
      '-',
      '*',
      '/',
      '^',
      '%',
      ' mod ',
      '(',
      ')',
      ',',
    ],
    ...[
      'sqrt(2)',
      'cbrt(',
      'round(2.345, 2)',
      'log(8, 2)',
      'ln(',
      'sin(30 * deg)',
      'acos(',
      'max(1, ',
      'gcd(12, 18)',
      'factorial(',
    ],
    ...[
      '=',
      ';',
      '[1, 2]',
      '{a: 1}',
      '"a"',
      "'",
      '1:3',
      'true',
      'null',
      'i',
      'a.b',
      'f(x) = x',
      '2 km',
      'to',
      '==',
      '?',
      '&',
      '~',
    ],
  );

  it('computes and refuses what all of mathjs does', async () => {
    const { evaluateExpression } = await bundled<typeof evaluation>('src/tools/math/evaluate');
    const expression = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(expression, (typed) => {
        expect(said(() => evaluateExpression(typed))).toBe(said(() => evaluation.evaluateExpression(typed)));
      }),
      { numRuns: inSizes({ usual: 300, deep: 5_000, full: 20_000 }) },
    );
  });

  it('converts each unit to each other as all of mathjs does', async () => {
    const { convertUnit } = await bundled<typeof conversion>('src/tools/math/convert-unit');
    const names = [
      ...Object.keys(aliases),
      'km/h^2',
      'kg*m/s^2',
      'N',
      'kWh',
      'GiB',
      'rad',
      'rpm',
      'eV',
      'nothing',
    ];
    for (const [i, from] of names.entries())
      for (const to of names.filter((_, k) => (i + k) % inSizes({ usual: 32, deep: 4, full: 1 }) === 0))
        for (const value of [2.5, -40])
          expect(
            said(() => convertUnit(value, from, to)),
            `${value} ${from} to ${to}`,
          ).toBe(said(() => conversion.convertUnit(value, from, to)));
  });
});
