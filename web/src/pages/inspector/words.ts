import { counted, words } from '../../base/words.ts';

export const t = words({
  title: ['Inspector', '检查器'],
  loading: ['Reading the log…', '正在读取日志…'],
  loadingOf: [
    (read: number, of: number) =>
      `Reading the log: ${read.toLocaleString('en')} of ${counted(of, 'transition', 'transitions')}…`,
    (read, of) => `正在读取日志：${read} / ${of} 次转移…`,
  ],
  chart: ['Statechart', '状态图'],
  loadingChart: ['Drawing the statechart…', '正在画状态图…'],
  noChart: ['This Detent does not know the statechart of this run.', '这个 Detent 不认识这次运行的状态图。'],
  chartAlone: ['The chart alone', '只看状态图'],
  alone: ['Chart alone', '只看图'],
  table: ['Transitions', '转移'],
  timeline: ['Timeline', '时间线'],
  resize: [(pane: string) => `Width or height of: ${pane}`, (pane) => `调整大小：${pane}`],
  transitions: ['Transitions', '转移'],
  readout: ['At this moment', '此刻'],
  event: ['Event', '事件'],
  after: ['After', '间隔'],
  session: ['session', '会话'],
  partOf: ['part of', '属于'],
  allAgree: [
    (of: number) => `log replayed, ${of.toLocaleString('en')} of ${of.toLocaleString('en')} agree`,
    (of) => `日志已重放，${of} / ${of} 一致`,
  ],
  partlyAgree: [
    (agree: number, of: number, seq: number) =>
      `log replayed, ${agree.toLocaleString('en')} of ${of.toLocaleString('en')} agree; the first difference is at ${seq}`,
    (agree, of, seq) => `日志已重放，${agree} / ${of} 一致；从第 ${seq} 次转移起不同`,
  ],
  unknownMachine: [
    (name: string, version: number) =>
      `this Detent does not have version ${version} of machine ${name}, so it cannot show states, guards and context`,
    (name, version) => `这个 Detent 没有状态机 ${name} 的版本 ${version}：看不到状态、守卫和上下文`,
  ],
  ended: ['Ended', '已结束'],
  state: ['State', '状态'],
  working: ['Working time', '工作时间'],
  waited: ['Waited for you', '等你的时间'],
  tokens: ['Tokens', 'Token'],
  model: ['Model', '模型'],
  tools: ['Tools', '工具'],
  people: ['People', '人'],
  host: ['Detent', 'Detent'],
  slider: ['Transition', '转移'],
  moment: [
    (seq: number, of: number, event: string, states: string) =>
      [`${seq} of ${of}`, event, states].filter(Boolean).join(', '),
    (seq, of, event, states) => [`第 ${seq} / ${of} 次`, event, states].filter(Boolean).join('，'),
  ],
  previous: ['Previous transition', '上一次转移'],
  next: ['Next transition', '下一次转移'],
  first: ['First transition', '第一次转移'],
  newest: ['Newest transition', '最新的转移'],
  play: ['Play', '播放'],
  pause: ['Pause', '暂停'],
  speed: [(times: number) => `Speed: ${times} times`, (times) => `速度：${times} 倍`],
  live: ['Live', '实时'],
  end: ['End', '最后'],
  cost: ['Cost', '费用'],
  chartOf: [
    (machine: string) => `A run of the machine ${machine}`,
    (machine) => `状态机 ${machine} 的一次运行`,
  ],
});
