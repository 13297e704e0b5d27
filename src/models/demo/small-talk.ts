/** What a clause without a tool can be. */
export type SmallTalk = 'greeting' | 'help' | 'thanks' | 'tour';

const phrases: ReadonlyArray<readonly [SmallTalk, RegExp]> = [
  ['greeting', /^(?:hi|hello|hey|good (?:morning|afternoon|evening))(?: (?:there|detent|everyone))?$/i],
  ['greeting', /^(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|大家好)(?:啊|呀|detent)?$/i],
  ['thanks', /^(?:thanks|thank you|thx|bye|goodbye|谢谢|多谢|感谢|再见)(?: (?:a lot|so much|very much))?$/i],
  [
    'help',
    /^\/?(?:help|help me|what can you do|what do you do|how does this work|who are you|what are you)$/i,
  ],
  [
    'help',
    /^(?:帮助|帮帮我|你会什么|你会做什么|你能做什么|能做什么|你能干什么|你可以做什么|做什么|怎么用|你是谁|你是什么)$/,
  ],
  [
    'tour',
    /^\/?(?:(?:show me|give me|take me on|take|start|begin) )?(?:the |a )?(?:guided )?tour(?: again)?$|^show me how (?:you|it|this|a run|detent) works?$/i,
  ],
  [
    'tour',
    /^(?:开始|带我|给我|再)?(?:看看?|做|来)?(?:一[次下])?(?:导览|参观)$|^(?:让我|带我|给我)?(?:看看?|演示|展示)(?:一下)?(?:你|它|一次运行)?是?(?:怎么|如何)(?:工作|运行|运作|进行)的?$/,
  ],
];

/** Recognises a clause that needs no tool; the whole clause must match. */
export function smallTalkIn(clause: string): SmallTalk | null {
  return phrases.find(([, pattern]) => pattern.test(clause))?.[0] ?? null;
}
