import { words } from '../../../../base/words.ts';

export const t = words({
  waitsFor: ['What the workflow waits for', '工作流在等待什么'],
  onlyEvents: ['It waits for an event.', '它在等待事件。'],
  takes: ['Takes the events', '接受的事件'],
  noEvents: ['It takes no events now.', '它现在不接受事件。'],
  works: ['running', '进行中'],
  rests: ['has not ended', '尚未结束'],
  waits: ['waits for an answer', '等待回答'],
  uncertain: ['waits for you to say whether it ran', '等你确认它是否执行过'],
  retries: [(time: string) => `failed, starts again ${time}`, (time) => `失败了，${time} 重新开始`],
  inspect: ['Open in the inspector', '在检视器中打开'],
  over: ['The workflow has ended.', '工作流已结束。'],
  oneCall: [
    'This run makes one call for a workflow, and takes no messages.',
    '这个运行只为工作流执行一次调用，不接收消息。',
  ],
  itsWorkflow: ['Open the workflow', '打开工作流'],
});
