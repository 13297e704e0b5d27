import { words } from '../../base/words.ts';

export const t = words({
  scrollable: ['Chart, scrollable', '状态图，可滚动'],
  chartOf: [
    (machine: string) => `Statechart of the machine ${machine}`,
    (machine) => `状态机 ${machine} 的状态图`,
  ],
  edges: ['All transitions', '所有转移'],
  zoomIn: ['Zoom in', '放大'],
  zoomOut: ['Zoom out', '缩小'],
  fit: ['Fit', '适应窗口'],
  close: ['Close', '关闭'],
  taken: [
    (times: number) =>
      times === 0
        ? 'Not taken so far'
        : times === 1
          ? 'Taken once'
          : `Taken ${times.toLocaleString('en')} times`,
    (times) => (times === 0 ? '目前没有走过' : `走过 ${times} 次`),
  ],
  anyState: ['any state', '任何状态'],
  lastTime: ['Show the most recent one', '看最近一次'],
});
