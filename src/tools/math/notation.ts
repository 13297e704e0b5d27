import { ToolFailure } from '../../ports/tool.ts';

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Signs that people and models write, beyond ASCII. Superscripts come first: NFKC would turn `3²` into `32`. */
const rewrites: ReadonlyArray<readonly [RegExp, string | ((match: string) => string)]> = [
  [/⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (run) => `^(${[...run].map(plainDigit).join('')})`],
  [/[×✕∗·⋅]/g, '*'],
  [/[÷∕]/g, '/'],
  [/[−–]/g, '-'],
  [/π/g, ' pi '],
  [/τ/g, ' tau '],
  [/√(?=[\s(]*\()/g, 'sqrt'],
  [/√\s*(\d+(?:\.\d+)?)/g, 'sqrt($1)'],
  [/°/g, '*deg'],
];

/**
 * Brings an expression to the ASCII that mathjs parses: full-width characters, `×`, `÷`, `−`, `²`, `π`, `√`, `**`.
 *
 * A `%` is a remainder when an operand follows, else a percentage, written here as a postfix `'` (see
 * {@link percentOperator}): mathjs itself reads `100 * 5% - 3` as `100 * (5 mod -3)`.
 *
 * @throws ToolFailure `INVALID_EXPRESSION` for characters that no expression holds.
 */
export function normalizeExpression(expression: string): string {
  const signs = rewrites.reduce((text, [from, to]) => text.replace(from, to as string), expression);
  // NFKC would turn ½ and ① into 1⁄2 and 1, which could join neighbouring digits.
  const odd = /\p{No}/u.exec(signs);
  if (odd) throw unusable(odd[0]);
  const plain = signs.normalize('NFKC').replace(/\s+/g, ' ').trim();
  const foreign = /[^\w .+\-*/^%!(),]/u.exec(plain);
  if (foreign) throw unusable(foreign[0]);
  return plain
    .replaceAll('**', '^')
    .replace(/%(?= ?(?!mod\b)[\w.(])/g, ' mod ')
    .replaceAll('%', percentOperator);
}

/** mathjs' matrix transposition: the one postfix operator, besides `!`, that binds tighter than all others. */
export const percentOperator = "'";

function plainDigit(character: string): string {
  return character === '⁻' ? '-' : String(superscripts.indexOf(character));
}

function unusable(character: string): ToolFailure {
  return new ToolFailure(
    'INVALID_EXPRESSION',
    `${JSON.stringify(character)} cannot be used; write an arithmetic expression such as 2 * (3 + 4) ^ 2`,
  );
}
