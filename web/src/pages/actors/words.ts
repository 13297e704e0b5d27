import { counted, words } from '../../base/words.ts';

export const t = words({
  title: ['Live actors', '实时 actor'],
  about: [
    'XState 5 actors of your own programs, live. The gateway keeps them in memory only, until it stops.',
    '你自己的程序里的 XState 5 actor，随它们移动而更新。它们只在网关的内存里，网关停止后就没有了。',
  ],
  loading: ['Reading the actors…', '正在读取 actor…'],
  none: [
    'None of your programs shows its actors here yet. Three lines make them appear:',
    '你的程序还没有在这里显示 actor。三行代码就能让它们出现：',
  ],
  own: ['Show your own actors', '显示你自己的 actor'],
  byInspect: [
    'With the inspector of Detent, on Node and in pages:',
    '用 Detent 的检查器，在 Node 和网页里：',
  ],
  byReal: ['With the real one, of Stately:', '用 Stately 的检查器：'],
  token: ['The token needs the scopes read and write:', '令牌需要 read 和 write 权限：'],
  columnActor: ['Actor', 'Actor'],
  columnState: ['State', '状态'],
  columnTransitions: ['Transitions', '转移'],
  columnMoved: ['Moved', '上次移动'],
  columnSince: ['Since', '开始于'],
  transitions: [(n: number) => counted(n, 'transition', 'transitions'), (n) => `${n} 次转移`],
  dropped: [(n: number) => `${n.toLocaleString('en')} not kept`, (n) => `${n} 次未保留`],
  forgotten: [
    (n: number) =>
      n === 1
        ? '1 actor was dropped, because there were too many.'
        : `${n.toLocaleString('en')} actors were dropped, because there were too many.`,
    (n) => `因为太多，已忘掉 ${n} 个 actor。`,
  ],
  of: [(program: string) => `of ${program}`, (program) => `来自 ${program}`],
  unnamed: ['a program without a name', '没有名字的程序'],
  childOf: ['child of', '上级：'],
  gone: ['program disconnected', '程序已断开'],
  active: ['active', '活动'],
  done: ['done', '完成'],
  error: ['failed', '失败'],
  stopped: ['stopped', '已停止'],
});
