import { counted, words } from '../base/words.ts';

export const t = words({
  time: ['Time', '时间'],
  today: ['Today', '今天'],
  week: ['7 days', '7 天'],
  month: ['30 days', '30 天'],
  all: ['All', '全部'],
  again: ['Try again', '重试'],
  happened: ['Detent refused this.', 'Detent 拒绝了这个请求。'],
  goBack: ['Cancel', '取消'],
  unstarted: ['not started', '未开始'],
  interrupted: ['interrupted', '已中断'],
  decided: ['decided', '已决定'],
  leftMore: [
    (status: string) =>
      status === 'unstarted'
        ? 'A fork starts when you resume it.'
        : status === 'decided'
          ? 'No process has resumed it.'
          : 'Its process ended before the run did.',
    (status) =>
      status === 'unstarted'
        ? '分支要由你来开始。'
        : status === 'decided'
          ? '还没有进程接着执行。'
          : '它的进程先结束了。',
  ],
  goOn: ['Resume', '继续'],
  say: [(prompt: string) => `Send “${prompt}”`, (prompt) => `发送“${prompt}”`],
  asCommand: ['As a command', '用命令'],
  fork: ['Fork from here', '从这里分支'],
  look: ['Open it', '打开'],
  decide: ['Decide', '决定'],
  answer: ['Answer', '回答'],
  write: ['Write a message', '写一条消息'],
  message: ['message', '消息'],
  copy: ['Copy', '复制'],
  copied: ['Copied', '已复制'],
  entries: [(n: number) => counted(n, 'entry', 'entries'), (n) => `${n} 项`],
  fields: [(n: number) => counted(n, 'field', 'fields'), (n) => `${n} 个字段`],
  moreEntries: [(n: number) => `Show ${n} more`, (n) => `再显示 ${n} 项`],
  moreCharacters: [(n: number) => `Show ${n} more characters`, (n) => `再显示 ${n} 个字符`],
  moreLines: [(n: number) => `Show ${n} more lines`, (n) => `再显示 ${n} 行`],
  textOfLines: [(n: number) => counted(n, 'line', 'lines'), (n) => `${n} 行`],
  noDifference: ['Nothing is changed.', '没有改动。'],
  tooDifferent: ['The texts are too different to compare.', '两段文字差别太大，无法比较。'],
  copyFailed: ['Not copied', '未能复制'],
});
