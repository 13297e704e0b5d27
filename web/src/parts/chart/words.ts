import { words } from '../../base/words.ts';

export const t = words(
  {
    scrollable: 'Chart, scrollable',
    chartOf: (machine: string) => `Statechart of the machine ${machine}`,
    edges: 'All transitions',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Fit',
    close: 'Close',
    taken: (times: number) =>
      times === 0
        ? 'Not taken so far'
        : times === 1
          ? 'Taken once'
          : `Taken ${times.toLocaleString('en')} times`,
    anyState: 'any state',
    lastTime: 'Show the last time',
  },
  {
    scrollable: '状态图，可滚动',
    chartOf: (machine) => `状态机 ${machine} 的状态图`,
    edges: '所有转移',
    zoomIn: '放大',
    zoomOut: '缩小',
    fit: '适应窗口',
    close: '关闭',
    taken: (times) => (times === 0 ? '目前没有走过' : `走过 ${times} 次`),
    anyState: '任何状态',
    lastTime: '看最近一次',
  },
);
