import { createDetent, defineTool } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

/** Runs a tool that leaves a rejecting promise behind; `when` says at what time it rejects. Prints what becomes of it. */
const [when = '', other = ''] = process.argv.slice(2);
if (other === 'listener') process.on('unhandledRejection', (reason) => console.log('own:', String(reason)));

const stray = defineTool({
  name: 'stray',
  description: 'leaves a promise behind',
  jsonSchema: { type: 'object' },
  sideEffect: 'readonly',
  async run() {
    const leave = () => void Promise.reject(new Error('left behind'));
    if (when === 'at once') leave();
    if (when === 'at work') setTimeout(leave, 5);
    if (when === 'later') setTimeout(leave, 50);
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
if (when === 'elsewhere') void Promise.reject(new Error('of the program'));
await new Promise((resolve) => setTimeout(resolve, 20));
console.log('alive');
await detent.close();
