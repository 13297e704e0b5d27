import { counted, words } from '../base/words.ts';

export const t = words(
  {
    again: 'Try again',
    happened: 'Detent refused this.',
    goBack: 'Cancel',
    unstarted: 'not started',
    interrupted: 'interrupted',
    decided: 'decided',
    leftMore: (status: string) =>
      status === 'unstarted'
        ? 'A fork begins when you say so.'
        : status === 'decided'
          ? 'No process has gone on with it.'
          : 'Its process ended before it did.',
    goOn: 'Go on',
    copy: 'Copy',
    copied: 'Copied',
    entries: (n: number) => counted(n, 'entry', 'entries'),
    fields: (n: number) => counted(n, 'field', 'fields'),
    moreEntries: (n: number) => `Show ${n} more`,
    moreCharacters: (n: number) => `Show ${n} more characters`,
    moreLines: (n: number) => `Show ${n} more lines`,
    textOfLines: (n: number) => counted(n, 'line', 'lines'),
    noDifference: 'Nothing is changed.',
    tooDifferent: 'The texts differ too much to be compared.',
    copyFailed: 'Not copied',
  },
  {
    again: '重试',
    happened: 'Detent 拒绝了这个请求。',
    goBack: '取消',
    unstarted: '未开始',
    interrupted: '已中断',
    decided: '已决定',
    leftMore: (status) =>
      status === 'unstarted'
        ? '分支要由你来开始。'
        : status === 'decided'
          ? '还没有进程接着执行。'
          : '它的进程先结束了。',
    goOn: '继续',
    copy: '复制',
    copied: '已复制',
    entries: (n) => `${n} 项`,
    fields: (n) => `${n} 个字段`,
    moreEntries: (n) => `再显示 ${n} 项`,
    moreCharacters: (n) => `再显示 ${n} 个字符`,
    moreLines: (n) => `再显示 ${n} 行`,
    textOfLines: (n) => `${n} 行`,
    noDifference: '没有改动。',
    tooDifferent: '两段文字差别太大，无法比较。',
    copyFailed: '未能复制',
  },
);
