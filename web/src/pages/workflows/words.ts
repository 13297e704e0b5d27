import { words } from '../../base/words.ts';

export const t = words(
  {
    title: 'Workflows',
    about: 'Statecharts of your own. Start one here; its run stands among the others.',
    none: 'No workflow is declared here. A file machines/NAME.machine.ts of the workspace exports one, or a program names it:',
    version: (n: number) => `version ${n}`,
    events: 'Takes the events',
    noEvents: 'none',
    services: 'Services',
    input: 'Input, as JSON',
    badJson: 'The input is JSON, such as {"order": "o1"}.',
    start: 'Start',
    started: (id: string) => `Workflow ${id} started`,
  },
  {
    title: '工作流',
    about: '你自己的状态图。在这里启动，它的运行和其他运行列在一起。',
    none: '这里没有声明工作流。工作区的 machines/NAME.machine.ts 文件可以导出一个，程序也可以声明：',
    version: (n) => `版本 ${n}`,
    events: '接受的事件',
    noEvents: '没有',
    services: '服务',
    input: '输入（JSON）',
    badJson: '输入是 JSON，例如 {"order": "o1"}。',
    start: '启动',
    started: (id) => `工作流 ${id} 已启动`,
  },
);
