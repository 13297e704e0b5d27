import { words } from '../../base/words.ts';

export const t = words(
  {
    payload: 'Payload of the event, as JSON',
    notTaken: 'The chart does not take it in this state.',
    badJson: 'The payload is a JSON object, such as {"note": "soon"}.',
    say: 'Send',
    reallyCancel: 'Cancel the run?',
    cancelIt: 'Cancel it',
    notNow: 'Not now',
  },
  {
    payload: '事件的数据（JSON）',
    notTaken: '状态图在当前状态不接受它。',
    badJson: '事件的数据是一个 JSON 对象，例如 {"note": "soon"}。',
    say: '发送',
    reallyCancel: '取消这次运行？',
    cancelIt: '取消运行',
    notNow: '先不',
  },
);
