import { EventEmitter } from 'node:events';
import { setup } from 'xstate';
import { createGateway } from '../../src/gateway/index.ts';
import { createDetent, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { step, workflow } from '../../src/workflow/index.ts';

/**
 * Runs code of others that leaves a promise behind that rejects, or a callback that throws. Prints what becomes of it.
 * Several ways, with commas between them, come one after the other; so do several cases, `where@when`: a line that names
 * the case precedes what it prints. `cli`: beside the listeners that the command line has.
 */
const [ways = '', cases = '', other = ''] = process.argv.slice(2);
if (other === 'cli') {
  const { isForeignFailure } = await import('../../src/engine/foreign-code.ts');
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, () => isForeignFailure() || process.exit(1));
}
if (other === 'listener' && ways === 'throws')
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

let what = '';
let where = '';
let when = '';
let hasLeft = Promise.withResolvers<void>();
/** Resolves when the call, or the chart, has ended: what is left behind for later fails after that. */
let hasEnded = Promise.withResolvers<void>();

/** What the code in question does. */
async function leaveBehind(): Promise<void> {
  const leave = fail[what] ?? (() => {});
  if (when === 'at once') process.nextTick(leave, 'left behind');
  if (when === 'at work') setTimeout(leave, 5, 'left behind');
  if (when === 'later')
    void hasEnded.promise.then(() =>
      setTimeout(() => {
        hasLeft.resolve();
        leave('left behind');
      }, 50),
    );
  if (when === 'at work') await new Promise((resolve) => setTimeout(resolve, 500));
}
const at = (place: string) => (place === where ? leaveBehind() : undefined);

const tool = defineTool({
  name: 'stray',
  description: 'leaves a promise behind',
  jsonSchema: { type: 'object' },
  sideEffect: 'readonly',
  async run() {
    await at('tool');
    return 'returned';
  },
});
const chart = setup({
  actors: { work: step({ sideEffect: 'readonly', run: async () => void (await at('step')) }) },
  actions: { act: () => at('action') },
  guards: {
    isFine: () => {
      void at('guard');
      return true;
    },
  },
}).createMachine({
  id: 'strays',
  version: '1',
  initial: 'working',
  states: {
    working: {
      invoke: { id: 'work', src: 'work', onDone: { guard: 'isFine', target: 'acting' }, onError: 'failed' },
    },
    acting: { entry: 'act', after: { 60000: 'done' } },
    done: { type: 'final' },
    failed: { type: 'final' },
  },
});
for (const each of cases.split(',')) {
  [where = '', when = ''] = each.split('@');
  for (const print of [console.log, console.error]) print(`== ${each}`);
  for (what of ways.split(',')) await seeWhatBecomes();
}

async function seeWhatBecomes(): Promise<void> {
  hasLeft = Promise.withResolvers();
  hasEnded = Promise.withResolvers();
  const script = scriptedModel([{ toolCalls: [{ name: 'stray' }] }, { text: 'ok' }]);
  const model: typeof script = {
    ...script,
    generate: async (...given) => {
      await at('model');
      return script.generate(...given);
    },
  };
  const isChart = ['step', 'action', 'guard'].includes(where);
  const detent = createDetent({
    store: 'in-process',
    env: {},
    model: 'test/script',
    models: { test: model },
    tools: { define: [tool] },
    workflows: [workflow(chart)],
    hooks: {
      runStart: [async () => void (await at('hook'))],
      runEnd: [async () => void (await at('end hook'))],
    },
    onError: (error) => console.log('reported:', (error as Error).message),
  });
  if (isChart) {
    const { status } = await (await detent.workflows.start('strays')).result;
    console.log(status);
  } else if (where === 'authenticate') {
    const authenticate = async () => {
      await at('authenticate');
      return null;
    };
    const gateway = createGateway(detent, {
      authenticate,
      onError: (error) => console.log('reported:', (error as Error).message),
    });
    const request = new Request('http://localhost/api/v1/runs', { headers: { authorization: 'Bearer x' } });
    console.log((await gateway.handler(request)).status);
    await gateway.close();
  } else {
    const run = detent.run('go');
    if (where === 'listener') detent.on(run.runId, async () => leaveBehind());
    const { status, steps } = await run.result;
    console.log(status, steps[0]?.toolCalls[0]?.code, steps[0]?.toolCalls[0]?.result);
  }
  hasEnded.resolve();
  if (when === 'later') await hasLeft.promise;
  if (when === 'elsewhere') setTimeout(() => fail[what]?.('of the program'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log('alive');
  await detent.close();
}
