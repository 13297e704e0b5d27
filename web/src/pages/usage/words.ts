import { counted, words } from '../../base/words.ts';

export const t = words({
  title: ['Usage', '用量'],
  intro: ['What model calls cost. Days are in UTC.', '模型调用的花费。日期按 UTC 计算。'],
  loading: ['Loading…', '正在加载…'],
  by: ['Grouped by', '分组方式'],
  byDay: ['Day', '日期'],
  byModel: ['Model', '模型'],
  bySession: ['Session', '会话'],
  all: ['All', '全部'],
  measure: ['Shown', '显示'],
  cost: ['Cost', '费用'],
  tokens: ['Tokens', 'Token'],
  calls: ['Calls', '调用'],
  input: ['Input', '输入'],
  output: ['Output', '输出'],
  download: ['Download CSV', '下载 CSV'],
  none: ['No model calls in this period.', '这段时间没有调用过模型。'],
  noneYet: [
    'Ask something in the chat, and its cost appears here.',
    '在对话里提个问题，花费就会显示在这里。',
  ],
  toChat: ['Open the chat', '打开对话'],
  showAll: ['Show all time', '显示全部时间'],
  failedCalls: [(n: string) => `${n} failed`, (n) => `${n} 次失败`],
  ofCache: [(share: string) => `${share} from a cache`, (share) => `${share} 来自缓存`],
  reasoning: [(n: string) => `${n} of reasoning`, (n) => `其中推理 ${n}`],
  perCall: [(cost: string) => `${cost} a call`, (cost) => `每次 ${cost}`],
  noPrice: ['no price', '无价格'],
  unpriced: [
    (n: number) =>
      `${counted(n, 'call has', 'calls have')} no known price: the sum does not include ${n === 1 ? 'it' : 'them'}.`,
    (n) => `${n} 次调用没有已知价格，没有计入总和。`,
  ],
  estimated: [
    (n: number) =>
      `The tokens of ${counted(n, 'call', 'calls')} are estimated, because the answers broke off.`,
    (n) => `${n} 次调用的 token 数是估算的，因为回答中断了。`,
  ],
  deleted: ['deleted sessions', '已删除的会话'],
  chart: [
    (measure: string, most: string, key: string) =>
      `${measure}; maximum on ${key}: ${most}. The table lists all days.`,
    (measure, most, key) => `${measure}；最多的是 ${key}：${most}。表格里有全部数据。`,
  ],
  newInput: ['input', '输入'],
  cachedInput: ['input from a cache', '来自缓存的输入'],
  outputSeries: ['output', '输出'],
  others: [(n: number) => `${n} more in the table`, (n) => `另有 ${n} 项见表格`],
  budgets: ['Budgets', '预算'],
  perDay: ['today', '今天'],
  perMonth: ['this month', '本月'],
  perAll: ['in all', '总共'],
  spentOf: [
    (spent: string, limit: string) => `${spent} of ${limit}`,
    (spent, limit) => `${spent} / ${limit}`,
  ],
  noLimit: [(spent: string) => `${spent}, no limit`, (spent) => `${spent}，不限`],
  held: [(held: string) => `${held} reserved for running calls`, (held) => `为进行中的调用预留 ${held}`],
  nTokens: [(n: string) => `${n} tokens`, (n) => `${n} 个 token`],
});
