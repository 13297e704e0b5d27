import { EventEmitter } from 'node:events';
import { createDetent, defineTool } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

/** Runs a tool that leaves a promise behind that rejects, or a callback that throws; `when` says at what time. Prints what becomes of it. */
const [what = '', when = '', other = ''] = process.argv.slice(2);
if (other === 'listener' && what === 'throws')
  process.on('uncaughtException', (error) => console.log('own:', String(error)));
else if (other === 'listener')
  process.on('unhandledRejection', (reason) => console.log('own:', String(reason)));

const fail: Record<string, (why: string) => void> = {
  rejects: (why) => void Promise.reject(new Error(why)),
  throws: (why) => {
    throw new Error(why);
  },
  emits: (why) => void new EventEmitter().emit('error', new Error(why)),
};

const stray = defineTool({
  name: 'stray',
  description: 'leaves a promise behind',
  jsonSchema: { type: 'object' },
  sideEffect: 'readonly',
  async run() {
    const leave = fail[what] ?? (() => {});
    if (when === 'at once') process.nextTick(leave, 'left behind');
    if (when === 'at work') setTimeout(leave, 5, 'left behind');
    if (when === 'later') setTimeout(leave, 50, 'left behind');
    if (when === 'at work') await new Promise((resolve) => setTimeout(resolve, 5_000).unref());
    return 'returned';
  },
});

const model = scriptedModel([{ toolCalls: [{ name: 'stray' }] }, { text: 'ok' }]);
const detent = createDetent({
  store: 'in-process',
  env: {},
  model: 'test/script',
  models: { test: model },
  tools: { define: [stray] },
});
const { status, steps } = await detent.run('go').result;
console.log(status, steps[0]?.toolCalls[0]?.code, steps[0]?.toolCalls[0]?.result);
await new Promise((resolve) => setTimeout(resolve, 150));
if (when === 'elsewhere') setTimeout(() => fail[what]?.('of the program'));
await new Promise((resolve) => setTimeout(resolve, 20));
console.log('alive');
await detent.close();
