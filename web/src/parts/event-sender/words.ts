import { words } from '../../base/words.ts';

export const t = words({
  payload: ['Payload of the event, as JSON', '事件的数据（JSON）'],
  notTaken: ['The chart does not accept it in this state.', '状态图在当前状态不接受它。'],
  guardRefuses: [
    (guard: string) => `The chart does not accept it: the guard ${guard} returns false.`,
    (guard) => `状态图不接受它：守卫 ${guard} 不允许。`,
  ],
  onlyIf: [(guard: string) => `if ${guard}`, (guard) => `需满足 ${guard}`],
  badJson: [
    'The payload is a JSON object, such as {"note": "soon"}.',
    '事件的数据是一个 JSON 对象，例如 {"note": "soon"}。',
  ],
  problems: ['A field above is not valid yet.', '上面有一项还不对。'],
  sayWhat: ['What to say', '要说什么'],
  noWords: ['Write a message.', '写下要说的话。'],
  say: [(what: string) => `Send ${what}`, (what) => `发送 ${what}`],
  reallyCancel: ['Cancel the run?', '取消这次运行？'],
  cancelIt: ['Cancel it', '取消运行'],
  notNow: ['Not now', '先不'],
});
