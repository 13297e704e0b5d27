import { ToolFailure } from '../../protocol/tool.ts';
import { functions } from './functions.ts';
import { invalidExpression, usable } from './math-failures.ts';
import { type BigNumber, type MathNode, mathjs } from './mathjs.ts';
import { big, divide, factorial, modulo, power } from './operations.ts';

const maxChars = 1000;

const constants: ReadonlyMap<string, () => BigNumber> = new Map([
  ['pi', () => big(-1).acos()],
  ['tau', () => big(-1).acos().times(2)],
  ['e', () => big(1).exp()],
  ['deg', () => big(-1).acos().div(180)],
]);

/**
 * Computes an arithmetic expression. mathjs only parses it. This module evaluates the tree, and refuses unknown nodes.
 * No expression can run long, because the size and the number of results are bounded.
 *
 * @throws ToolFailure `INVALID_EXPRESSION`, `DIVISION_BY_ZERO`, `UNDEFINED_RESULT`, `RESULT_TOO_LARGE`,
 * `RESULT_TOO_SMALL`.
 */
export function evaluateExpression(expression: string): BigNumber {
  if (expression.length > maxChars)
    throw invalidExpression(`the expression is longer than ${maxChars} characters; compute it in parts`);
  const notation = normalizeExpression(expression);
  if (notation === '') throw invalidExpression('the expression is empty');
  try {
    return resultOf(mathjs().parse(notation));
  } catch (error) {
    // mathjs' parser recurses some twenty calls for a parenthesis.
    if (error instanceof RangeError) throw invalidExpression('the expression is nested too deeply');
    if (error instanceof SyntaxError) throw invalidExpression(`${error.message}${commaHint(notation)}`);
    throw error;
  }
}

function resultOf(node: MathNode): BigNumber {
  const math = mathjs();
  if (math.isConstantNode(node)) return constantOf(node.value);
  if (math.isParenthesisNode(node)) return resultOf(node.content);
  if (math.isSymbolNode(node)) return namedConstant(node.name);
  if (math.isFunctionNode(node)) return usable(call(node.fn, node.args));
  if (math.isOperatorNode(node)) return usable(operate(node));
  throw invalidExpression('only arithmetic can be computed: numbers, operators and functions');
}

function constantOf(value: unknown): BigNumber {
  if (!mathjs().isBigNumber(value)) throw invalidExpression('only numbers can be computed');
  return usable(value);
}

function namedConstant(name: string): BigNumber {
  const constant = constants.get(name);
  if (constant) return constant();
  if (functions.has(name)) throw invalidExpression(`${name} needs parentheses: ${name}(...)`);
  throw invalidExpression(
    `unknown name ${JSON.stringify(name)}; known are ${[...constants.keys()].join(', ')}`,
  );
}

function call(callee: MathNode | string, args: readonly MathNode[]): BigNumber {
  const name = typeof callee === 'string' ? callee : mathjs().isSymbolNode(callee) ? callee.name : '';
  const known = functions.get(name);
  if (!known) {
    const names = [...functions.keys()].join(', ');
    throw invalidExpression(`unknown function ${JSON.stringify(name)}; known are ${names}`);
  }
  if (args.length < known.least || args.length > known.most)
    throw invalidExpression(`${name} does not take ${args.length} arguments`);
  return known.apply(...args.map(resultOf));
}

interface Operator {
  op: string;
  implicit: boolean;
  args: readonly MathNode[];
}

function operate({ op, implicit, args }: Operator): BigNumber {
  if (implicit) throw invalidExpression('write the multiplication sign, as in 2 * pi or 3 * (1 + 2)');
  const [left, right] = args;
  if (!left) throw invalidExpression('an operator has no operand');
  const a = resultOf(left);
  if (!right) return prefixOrPostfix(op, a);
  const b = resultOf(right);
  // "200 + 10%" is 220, as on every pocket calculator.
  const amount = isPercentage(right) ? a.times(b) : b;
  switch (op) {
    case '+':
      return a.plus(amount);
    case '-':
      return a.minus(amount);
    case '*':
      return a.times(b);
    case '/':
      return divide(a, b);
    case '^':
      return power(a, b);
    case 'mod':
      return modulo(a, b);
    default:
      throw unknownOperator(op);
  }
}

function prefixOrPostfix(op: string, a: BigNumber): BigNumber {
  switch (op) {
    case '-':
      return a.neg();
    case '+':
      return a;
    case '!':
      return factorial(a);
    case percentOperator:
      return a.div(100);
    default:
      throw unknownOperator(op);
  }
}

function isPercentage(node: MathNode): boolean {
  return mathjs().isOperatorNode(node) && (node.op as string) === percentOperator;
}

function unknownOperator(op: string): Error {
  return invalidExpression(`the operator ${JSON.stringify(op)} is not supported`);
}

function commaHint(notation: string): string {
  return /\d,\d{3}/.test(notation) ? '; write numbers without thousands separators' : '';
}

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
function normalizeExpression(expression: string): string {
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
const percentOperator = "'";

function plainDigit(character: string): string {
  return character === '⁻' ? '-' : String(superscripts.indexOf(character));
}

function unusable(character: string): ToolFailure {
  return new ToolFailure(
    'INVALID_EXPRESSION',
    `${JSON.stringify(character)} cannot be used; write an arithmetic expression such as 2 * (3 + 4) ^ 2`,
  );
}
