import type { Rule } from './rule.ts';

const statements = [
  /^(?:remember|keep in mind|don['’]t forget|note|note down)(?: that |: ?)(.{2,300})$/i,
  /^(?:remember|keep in mind|don['’]t forget) ((?:my|our|the|i|we|i['’]m|we['’]re) .{1,300})$/i,
  /^(?:记住|记下来?|记一下)[\s:：，,]{0,2}(.{2,200})$/,
];

/** "remember that my name is Ada", "请记住我叫小明". */
export const memoryWriteRule: Rule = {
  tool: 'memory_write',
  changes: true,
  example: { en: 'remember that my name is Ada', zh: '请记住我叫小明' },
  match({ text }) {
    for (const statement of statements) {
      const line = statement.exec(text)?.[1]?.trim();
      if (line) return { tool: 'memory_write', args: { lines: [line] } };
    }
    return null;
  },
  title: (_args, language) => (language === 'zh' ? '完成：' : 'Done: '),
};
