import { defineTool, ownArguments, type Tool } from '../../protocol/tool.ts';

const shownDigits = 15;

const parameters = ownArguments({
  expression: { type: 'string', description: 'For example (1.1 + 2.2) * 3 ^ 2' },
});

/** `calculator`: exact decimal arithmetic, which models are bad at. */
export function calculatorTool(): Tool {
  return defineTool({
    name: 'calculator',
    description:
      'Computes an arithmetic expression exactly in decimal. Operators: + - * / ^ ! % mod and parentheses; ' +
      '"10%" is a percentage ("200 + 10%" is 220), "10 % 3" a remainder. Functions: sqrt cbrt abs sign round(x, places) ' +
      'floor ceil trunc min max sum gcd lcm mod pow exp ln log(x, base; natural without) log10 log2 factorial and ' +
      'sin cos tan asin acos atan in radians (degrees: sin(30 * deg)). Constants: pi e tau.',
    parameters,
    sideEffect: 'readonly',
    async run({ expression }) {
      const { evaluateExpression } = await import('../math/evaluate.ts');
      const { formatNumber } = await import('../math/format-number.ts');
      return formatNumber(evaluateExpression(expression), shownDigits);
    },
  });
}
