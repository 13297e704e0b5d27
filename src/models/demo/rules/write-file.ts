import type { Clause } from '../clause.ts';
import { type Cut, cutAt } from '../quotes.ts';
import { asContent } from './content.ts';
import { asFile } from './paths.ts';
import type { DemoCall, Rule } from './rule.ts';

/** How a request begins, and what separates its two parts. */
interface Form {
  opening: RegExp;
  between: RegExp;
}

/** "write 'hello' to notes.txt": the path ends the clause, so courtesies and punctuation after it are noise. */
const contentThenPath: readonly Form[] = [
  { opening: /^(?:write|save|put|store)\s/i, between: /\s(?:to|into|in|as)\s/iy },
  { opening: /^[把将]/, between: /(?:写入|写到|写进|写在|保存到|保存为|保存在|存到|存入|存为)/y },
  { opening: /^(?:写入|写|保存)/, between: /[到进]/y },
];

/** "create notes.txt with hello!": every character of the ending counts. */
const pathThenContent: readonly Form[] = [
  {
    opening: /^(?:create|make)\s/i,
    between: /\s(?:with|containing|saying)(?:(?:\sthe)?\s(?:contents?|text)(?=[\s:]):?)?\s/iy,
  },
  { opening: /^(?:write|save)\s(?:to|into)\s/i, between: /\s?:\s/y },
  { opening: /^(?:创建|新建|建立)/, between: /[，,]?\s?并?(?:内容|写上|写入|写)[是为]?\s?[:：]?/y },
  { opening: /^[在往向]/, between: /(?:里面|里|中)?\s?(?:写入|写上|写|保存)\s?[:：]?/y },
];

/** "… then save to b.txt": what to save is the result before it. */
const pathOnly = /^(?:write|save)\s(?:to|into|as)\s|^(?:写入|写到|保存到|存到|保存为)/i;

const emptyFile = /^(?:create|make) an empty (?=file\s)|^(?:创建|新建)(?:一个)?空的?(?=文件)/i;

/** "write 'hello' to notes.txt", "create notes.txt with hello", "把 你好 写入 notes.txt". */
export const writeFileRule: Rule = {
  tool: 'write_file',
  changes: true,
  example: { en: "write 'hello' to notes.txt", zh: '把“你好”写入 notes.txt' },
  match(clause) {
    return asEmptyFile(clause) ?? asFullFile(clause) ?? asResultFile(clause);
  },
  title: (_args, language) => (language === 'zh' ? '完成：' : 'Done: '),
};

function asEmptyFile({ text }: Clause): DemoCall | null {
  return emptyFile.test(text) ? writing(text.replace(emptyFile, ''), "''") : null;
}

function asFullFile({ text, full }: Clause): DemoCall | null {
  for (const form of contentThenPath) {
    const parts = partsOf(text, form, 'last');
    const call = parts && writing(parts.right, parts.left);
    if (call) return call;
  }
  for (const form of pathThenContent) {
    const parts = partsOf(full, form, 'first');
    const call = parts && writing(parts.left, parts.right);
    if (call) return call;
  }
  return null;
}

function asResultFile({ text }: Clause): DemoCall | null {
  return pathOnly.test(text) ? writing(text.replace(pathOnly, ''), 'it') : null;
}

function partsOf(text: string, { opening, between }: Form, which: 'first' | 'last'): Cut | null {
  return opening.test(text) ? cutAt(which, text.replace(opening, ''), between) : null;
}

function writing(pathPhrase: string, contentPhrase: string): DemoCall | null {
  const path = asFile(pathPhrase);
  const content = asContent(contentPhrase);
  if (path === null || content === null) return null;
  if (content === 'previousResult') return { tool: 'write_file', args: { path }, takesResultAs: 'content' };
  return { tool: 'write_file', args: { path, content: content.literal } };
}
