import { asFolder } from './paths.ts';
import type { DemoCall, Rule } from './rule.ts';

const patterns = [
  /^(?:list|show|show me)(?: all)?(?: of)?(?: the| my)? files(?: (?:in|of|under|inside|from) (.{1,300}))?$/i,
  /^(?:which|what) files (?:are|are there|do i have|do you have|do you see)(?: (?:in|under|inside) (.{1,300})| here)?$/i,
  /^(?:what is|what['’]s) (?:in|inside) (.{1,300}(?:\/| folder| directory| dir))$/i,
  /^(?:list|show|show me) (?:the )?(?:contents of )?(.{1,300}(?:\/| folder| directory| dir))$/i,
  /^ls(?: (.{1,300}))?$/i,
  /^(?:列出|列一下|查看|显示|看看|看一下)\s?(.{0,100}?(?:目录|文件夹)?)\s?(?:[下里中](?:面)?的?|的)(?:所有|全部)?的?文件(?:列表)?$/,
  /^(?:列出|列一下|查看|显示|看看|看一下)\s?(.{0,100}(?:目录|文件夹|\/))\s?(?:[下里中]?(?:的内容|的?(?:所有|全部)?文件))?$/,
  /^(?:列出|列一下|查看|显示|看看|看一下)\s?(?:所有|全部)?文件(?:列表)?$/,
  /^(?:看看|看一下)?\s?(.{0,100}?)\s?(?:[下里中]面?)?都?有(?:哪些|什么|多少)文件$/,
];

/** "list the files in src", "列出当前目录的文件". */
export const listFilesRule: Rule = {
  tool: 'list_files',
  changes: false,
  example: { en: 'list the files in the current folder', zh: '列出当前目录的文件' },
  match({ text }): DemoCall | null {
    for (const pattern of patterns) {
      const found = pattern.exec(text);
      if (!found) continue;
      const path = asFolder(found[1] || 'here');
      if (path !== null) return { tool: 'list_files', args: path === '' ? {} : { path } };
    }
    return null;
  },
  title: (args, language) => {
    const folder = typeof args.path === 'string' ? args.path : '.';
    return language === 'zh' ? `${folder} 中的文件：` : `Files in ${folder}: `;
  },
};
