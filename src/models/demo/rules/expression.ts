import { withDigits } from './numerals.ts';

/** Words and signs of arithmetic, in the order in which they are replaced. */
const vocabulary: ReadonlyArray<readonly [RegExp, string]> = [
  [/(\d),(?=\d{3}(?!\d))/g, '$1'],
  [/[×✕]/g, '*'],
  [/÷/g, '/'],
  [/[−–]/g, '-'],
  [/(\d)\s?x\s?(?=[\d(])/gi, '$1*'],
  [/\*\*/g, '^'],
  [/(?:the )?square root of (\d+(?:\.\d+)?)/gi, 'sqrt($1)'],
  [/(\d+(?:\.\d+)?)的平方根/g, 'sqrt($1)'],
  [/(?:根号|√)\s?(\d+(?:\.\d+)?)/g, 'sqrt($1)'],
  [/(\d)\s?(?:%|percent) of /gi, '$1/100*'],
  [/的百分之(\d+(?:\.\d+)?)/g, '*$1/100'],
  [/百分之(\d+(?:\.\d+)?)的/g, '$1/100*'],
  [/百分之(\d+(?:\.\d+)?)/g, '($1/100)'],
  [/(\d)的(\d+(?:\.\d+)?)%/g, '$1*$2/100'],
  [/(\d)%的/g, '$1/100*'],
  [/\splus\s|加上|加/gi, '+'],
  [/\sminus\s|减去|减/gi, '-'],
  [/\s(?:times|multiplied by)\s|乘以|乘上|乘/gi, '*'],
  [/\s(?:divided by|over)\s|除以/gi, '/'],
  [/\s(?:modulo|mod)\s/gi, '%'],
  [/\sto the power of\s/gi, '^'],
  [/\ssquared(?![a-z])|的平方/gi, '^2'],
  [/\scubed(?![a-z])|的立方/gi, '^3'],
  [/的(\d+)次方/g, '^$1'],
];

const allowed = /^[\d\s.+\-*/^%()]+$/;
const operation = /[\d)%]\s?[+\-*/^%]\s?[-\d(.s]/;
const root = /sqrt\(/;
const date = /^\d{4}-\d{1,2}-\d{1,2}$|^\d{1,2}\/\d{1,2}\/\d{2,4}$|^\d{4}\/\d{1,2}\/\d{1,2}$/;

/** Longer input is no sum that a person typed. The bound also keeps the patterns above cheap. */
const maxLength = 500;

/** The expression that a phrase is, in the calculator's notation; null when it is anything else. */
export function asExpression(phrase: string): string | null {
  if (phrase.length > maxLength) return null;
  const plain = phrase.normalize('NFKC').replace(/\s+/g, ' ').trim();
  if (date.test(plain)) return null;
  const expression = vocabulary.reduce((text, [words, sign]) => text.replace(words, sign), withDigits(plain));
  if (!allowed.test(expression.replaceAll('sqrt(', '('))) return null;
  return operation.test(expression) || root.test(expression) ? expression : null;
}
