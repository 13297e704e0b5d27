import { words } from '../../base/words.ts';

export const t = words({
  payload: ['Payload of the event, as JSON', '事件的数据（JSON）'],
  notTaken: ['The chart does not take it in this state.', '状态图在当前状态不接受它。'],
  badJson: [
    'The payload is a JSON object, such as {"note": "soon"}.',
    '事件的数据是一个 JSON 对象，例如 {"note": "soon"}。',
  ],
  say: ['Send', '发送'],
  reallyCancel: ['Cancel the run?', '取消这次运行？'],
  cancelIt: ['Cancel it', '取消运行'],
  notNow: ['Not now', '先不'],
});
