import { words } from '../../base/words.ts';

export const t = words({
  title: ['Memory', '记忆'],
  about: [
    'What agents remember between conversations: Markdown files that you and agents write. Each line says who wrote it.',
    '在多次对话之间保留下来的内容：由你和智能体写的 Markdown 文件。每一行都标明是谁写的。',
  ],
  search: ['Search the memory', '搜索记忆'],
  files: ['Files', '文件'],
  empty: ['The memory is empty.', '还没有记住任何内容。'],
  emptyHow: ['Ask the agent to remember something', '让智能体记住一件事'],
  none: [
    (query: string) => `Nothing in the memory matches “${query}”.`,
    (query) => `记忆里没有与“${query}”相符的内容。`,
  ],
  incomplete: [
    (why: string) => `The search may have missed something: ${why}.`,
    (why) => `搜索可能有遗漏：${why}。`,
  ],
  byWords: ['found by words', '按词语找到'],
  byMeaning: ['found by words and meaning', '按词语和含义找到'],
  pending: [
    (n: number) => `${n} changed ${n === 1 ? 'file is' : 'files are'} not in the index yet`,
    (n) => `有 ${n} 个改动过的文件还没有进入索引`,
  ],
  lines: [
    (from: number, to: number) => (from === to ? `line ${from}` : `lines ${from} to ${to}`),
    (from, to) => (from === to ? `第 ${from} 行` : `第 ${from} 至 ${to} 行`),
  ],
  total: [(n: number) => `${n} ${n === 1 ? 'line' : 'lines'}`, (n) => `${n} 行`],
  more: ['Read more', '继续读'],
  copyLink: ['Link to this line', '指向这一行的链接'],
  owner: ['written by a person', '由人写下'],
  agent: ['written by an agent', '由智能体写下'],
  untrusted: ['written by an agent that had read untrusted text', '由读过不可信内容的智能体写下'],
  cut: [
    'The list is not complete. Search finds the other files.',
    '文件太多，没有全部列出。搜索可以找到其余的文件。',
  ],
  changed: [(time: string) => `changed ${time}`, (time) => `${time} 改动`],
  choose: ['Choose a file, or search.', '请选择一个文件，或者搜索。'],
  back: ['All files', '所有文件'],
});
