import { words } from '../../base/words.ts';

export const t = words({
  title: ['Workflows', '工作流'],
  about: [
    'Your own statecharts. Start one here; its run appears in the list of runs.',
    '你自己的状态图。在这里启动，它的运行和其他运行列在一起。',
  ],
  none: [
    'There are no workflows here. Export one from a file machines/NAME.machine.ts of the workspace, or declare it in a program:',
    '这里没有声明工作流。工作区的 machines/NAME.machine.ts 文件可以导出一个，程序也可以声明：',
  ],
  version: [(n: number) => `version ${n}`, (n) => `版本 ${n}`],
  events: ['Takes the events', '接受的事件'],
  noEvents: ['none', '没有'],
  chart: ['Statechart', '状态图'],
  services: ['Services', '服务'],
  inputName: ['input', '输入'],
  input: ['Input, as JSON', '输入（JSON）'],
  badJson: ['The input is JSON, such as {"order": "o1"}.', '输入是 JSON，例如 {"order": "o1"}。'],
  start: ['Start', '启动'],
  started: [(id: string) => `Workflow ${id} started`, (id) => `工作流 ${id} 已启动`],
});
