import { words } from '../../../base/words.ts';

export const t = words({
  all: ['Live actors', '实时 actor'],
  loading: ['Reading the actor…', '正在读取 actor…'],
  loadingChart: ['Drawing the statechart…', '正在画状态图…'],
  noChart: [
    (why: string) => `There is no chart: ${why}. The transitions are still shown.`,
    (why) => `没有状态图：${why}。转移仍然在这里。`,
  ],
  of: [(program: string) => `of ${program}`, (program) => `来自 ${program}`],
  unnamed: ['a program without a name', '没有名字的程序'],
  childOf: ['child of', '上级：'],
  childOfGone: [(id: string) => `child of ${id}, which is not shown`, (id) => `上级 ${id} 没有显示`],
  state: ['State', '状态'],
  status: ['Status', '情况'],
  program: ['Program', '程序'],
  connected: ['connected', '已连接'],
  gone: ['disconnected', '已断开'],
  since: ['Since', '开始于'],
  active: ['active', '活动'],
  done: ['done', '完成'],
  error: ['failed', '失败'],
  stopped: ['stopped', '已停止'],
  nothingYet: [
    'No transition yet. The chart shows the initial state.',
    '它还没有动过。状态图显示它从哪里开始。',
  ],
  concluded: [
    'Detent infers the edge from the event and from the states before and after it: XState’s messages contain neither the edge nor the guards.',
    '走过哪条边，是由事件和前后的状态推断出来的：XState 的消息里没有这一点，也没有检查过哪些守卫。',
  ],
  cut: ['Long texts are shortened here.', '长文本在这里被缩短。'],
  forgotten: [
    (n: number) =>
      n === 1
        ? 'The first transition was dropped.'
        : `The first ${n.toLocaleString('en')} transitions were dropped.`,
    (n) => `最早的 ${n} 次转移已不再保留。`,
  ],
  hasGone: [
    'Its program is not connected. You see its last known state.',
    '它的程序没有连接。你看到的是当时的样子。',
  ],
  again: [
    (time: string) => `The actor was registered again at ${time}. Its earlier transitions are gone.`,
    (time) => `这个 actor 在 ${time} 重新登记。之前的经过已经没有了。`,
  ],
  lost: [
    'The gateway no longer has this actor. You see its last known state.',
    '网关已经没有这个 actor。你看到的是在那之前的经过。',
  ],
  ended: [(status: string) => `The actor has ended: ${status}`, (status) => `这个 actor 已经结束：${status}`],
});
