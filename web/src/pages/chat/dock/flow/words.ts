import { words } from '../../../../base/words.ts';

export const t = words(
  {
    waitsFor: 'What the workflow waits for',
    onlyEvents: 'It waits for an event.',
    takes: 'Takes the events',
    noEvents: 'It takes no events now.',
    works: 'at work',
    rests: 'has not ended',
    waits: 'waits for an answer',
    uncertain: 'waits for you to say whether it ran',
    retries: (time: string) => `failed, begins again ${time}`,
    inspect: 'Open in the inspector',
    over: 'The workflow has ended.',
    oneCall: 'This run makes one call for a workflow, and takes no messages.',
    itsWorkflow: 'Open the workflow',
  },
  {
    waitsFor: '工作流在等待什么',
    onlyEvents: '它在等待事件。',
    takes: '接受的事件',
    noEvents: '它现在不接受事件。',
    works: '进行中',
    rests: '尚未结束',
    waits: '等待回答',
    uncertain: '等你确认它是否执行过',
    retries: (time) => `失败了，${time} 重新开始`,
    inspect: '在检视器中打开',
    over: '工作流已结束。',
    oneCall: '这个运行只为工作流执行一次调用，不接收消息。',
    itsWorkflow: '打开工作流',
  },
);
