import { withDigits } from './numerals.ts';
import type { DemoCall, Rule } from './rule.ts';
import { asUnit } from './units.ts';

const amountFirst = [
  /^(?:convert |what is |what['’]s |how much is )?(-?[\d.,]+) ?([^\d\s].{0,30}?) (?:to|into|in|as) (.{1,30})$/i,
  /^(?:把|将)?\s?(-?[\d.,]+)\s?([^\d\s].{0,12}?)\s?(?:换算成|换算为|转换成|转换为|转换到|换成|转成|转为|等于多少|等于几|相当于多少|是多少|是几|有多少|多少|合多少|=多少)\s?(.{1,12})$/,
];
const targetFirst = [
  /^how many (.{1,30}?) (?:is|are|are there|is there)?(?: ?in)? ?(-?[\d.,]+) ?([^\d\s].{0,30})$/i,
  /^(?:多少|几)\s?(.{1,12}?)\s?(?:是|等于)\s?(-?[\d.,]+)\s?([^\d\s].{0,12})$/,
];

/** "convert 10 miles to km", "how many feet are in 3 yards", "100 华氏度是多少摄氏度". */
export const unitConvertRule: Rule = {
  tool: 'unit_convert',
  changes: false,
  example: { en: 'convert 10 miles to km', zh: '5公里等于多少英里？' },
  match({ text }) {
    const phrase = withDigits(text);
    for (const pattern of amountFirst) {
      const [, value, from, to] = pattern.exec(phrase) ?? [];
      const call = conversion(value, from, to);
      if (call) return call;
    }
    for (const pattern of targetFirst) {
      const [, to, value, from] = pattern.exec(phrase) ?? [];
      const call = conversion(value, from, to);
      if (call) return call;
    }
    return null;
  },
  title: (args) => `${args.value} ${args.from} = `,
};

function conversion(amount = '', fromWord = '', toWord = ''): DemoCall | null {
  const value = Number(amount.replaceAll(',', ''));
  const from = asUnit(fromWord);
  const to = asUnit(toWord);
  if (amount === '' || !Number.isFinite(value) || !from || !to) return null;
  return { tool: 'unit_convert', args: { value, from, to } };
}
