import { asExpression } from './expression.ts';
import type { Rule } from './rule.ts';

const leadIn =
  /^(?:(?:what is|what['’]s|whats|how much is|calculate|compute|evaluate|work out|solve)\s+|(?:计算一下|计算|算一下|算算|算|求)\s?)/i;
const leadOut = /(?:\s?=|\sequals|\sis)$|(?:等于多少|等于几|等于|是多少|得多少|得几|是几)$/i;

/** "what is 12*(3+4)", "15% of 80", "3的平方加4等于多少". */
export const calculatorRule: Rule = {
  tool: 'calculator',
  changes: false,
  example: { en: 'what is 12*(3+4)?', zh: '3的平方加4等于多少？' },
  match({ text }) {
    const phrase = text
      .replace(leadIn, '')
      .replace(/^what /i, '')
      .replace(leadOut, '');
    const expression = asExpression(phrase);
    return expression === null ? null : { tool: 'calculator', args: { expression } };
  },
  title: (args) => `${args.expression} = `,
};
