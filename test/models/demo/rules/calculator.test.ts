import { describe, expect, it } from 'vitest';
import { callsFor } from '../support.ts';

describe('demo calculator rule', () => {
  it.each([
    ['what is 12*(3+4)', '12*(3+4)'],
    ['What is 12*(3+4)?', '12*(3+4)'],
    ['12*(3+4)', '12*(3+4)'],
    ['2 + 3 =?', '2 + 3'],
    ['compute 15% of 80', '15/100*80'],
    ["what's 15 percent of 80?", '15/100*80'],
    ['calculate 1,000 * 3', '1000 * 3'],
    ['how much is 7 times 8', '7*8'],
    ['10 divided by 4', '10/4'],
    ['tell me what two plus three is', '2+3'],
    ['3 x 4', '3*4'],
    ['6 ÷ 2 − 1', '6 / 2 - 1'],
    ['what is 2 to the power of 10', '2^10'],
    ['what is 5 squared minus 1', '5^2-1'],
    ['the square root of 144', 'sqrt(144)'],
    ['could you please compute 2+2 for me?', '2+2'],
    ['what is 2+(3', '2+(3'],
  ])('computes in English: %s', async (text, expression) => {
    expect(await callsFor(text)).toEqual([['calculator', { expression }]]);
  });

  it.each([
    ['3的平方加4等于多少', '3^2+4'],
    ['三加四等于几？', '3+4'],
    ['十二乘以三', '12*3'],
    ['一百二十除以四', '120/4'],
    ['10减去3是多少', '10-3'],
    ['百分之十五的80是多少', '15/100*80'],
    ['80的百分之15', '80*15/100'],
    ['百分之八十乘以5', '(80/100)*5'],
    ['二〇二六减一', '2026-1'],
    ['16的平方根是多少', 'sqrt(16)'],
    ['2的10次方', '2^10'],
    ['请帮我计算 12×（3＋4）', '12*(3+4)'],
  ])('computes in Chinese: %s', async (text, expression) => {
    expect(await callsFor(text)).toEqual([['calculator', { expression }]]);
  });

  it.each([
    'the file 2+2 times',
    'what is 42',
    '2026-01-02',
    '01/02/2026',
    'my phone is 555-1234',
    'one for all',
    '第三章的平方',
    '10 reasons to stay',
  ])('leaves alone: %s', async (text) => {
    expect(await callsFor(text)).toEqual([]);
  });
});
