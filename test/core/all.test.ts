import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleCoreFile } from '../../scripts/build/core.ts';
import { openNodeSqlite } from '../support/node-sqlite.ts';
import { openQuickJs } from '../support/quickjs.ts';
import { inSizes } from '../support/size.ts';

let bundle: Awaited<ReturnType<typeof bundleCoreFile>>;

beforeAll(async () => {
  bundle = await bundleCoreFile('test/core/with-all');
});

/** A chart whose agent hands the payment on to another agent, after a person has approved. */
const settlingApp = `
  globalThis.paid = [];
  globalThis.failures = [];
  const { agent, ask, assign, setup, workflow } = detent;
  const settle = setup({
    actors: {
      approve: ask({ question: ({ order }) => 'Pay for ' + order + '?' }),
      pay: agent({ agent: 'clerk', prompt: ({ order }) => 'Pay for ' + order }),
    },
    actions: { note: assign((_, { output }) => ({ said: output })) },
  }).createMachine({
    id: 'settle',
    context: ({ input }) => ({ ...input, said: '' }),
    output: ({ context }) => context.said,
    initial: 'approving',
    states: {
      approving: {
        invoke: { id: 'approve', src: 'approve', input: ({ context }) => context, onDone: 'paying', onError: 'over' },
        after: { 86400000: 'over' },
      },
      paying: {
        invoke: {
          id: 'pay',
          src: 'pay',
          input: ({ context }) => context,
          onDone: { target: 'over', actions: { type: 'note', params: ({ event: { output } }) => ({ output }) } },
          onError: 'over',
        },
      },
      over: { type: 'final' },
    },
  });
  globalThis.core = detent.createCore({
    host: { storage, random, report: (error) => void failures.push(String(error) + error?.stack) },
    models: {
      device: {
        contextWindow: 32_000,
        async generate({ model, messages, tools }) {
          const answer = detent.unanswered(model, null);
          const last = messages.at(-1);
          if (last.role === 'tool') return { ...answer, finish: 'stop', text: 'it says: ' + last.text };
          const [name, given] = tools.some(({ name }) => name === 'task')
            ? ['task', { prompt: last.text, agent: 'cashier' }]
            : ['pay', {}];
          return { ...answer, finish: 'toolCalls', toolCalls: [{ id: 'c', name, arguments: JSON.stringify(given) }] };
        },
      },
    },
    model: 'device/small',
    agents: { clerk: {}, cashier: { tools: ['pay'] } },
    subRuns: detent.subRuns,
    tools: {
      define: [
        detent.defineTool({
          name: 'pay',
          description: 'Pays.',
          jsonSchema: { type: 'object', properties: {} },
          sideEffect: 'unsafe',
          confirm: false,
          run: (_, { idempotencyKey }) => {
            paid.push(idempotencyKey);
            return 'paid';
          },
        }),
      ],
    },
    workflows: detent.workflows([workflow(settle)]),
  });
  globalThis.settleOnce = async (order) => {
    const run = core.workflows.start('settle', { order });
    const { status } = await run.result;
    await run.answer('approve', { approved: true });
    const { output } = await run.result;
    return { asked: status, output };
  };`;

describe('the core with workflows and sub-runs', () => {
  it('asks for no module of Node, and has the size that its page says', () => {
    expect(bundle.asked).toEqual([]);
    expect(Buffer.byteLength(bundle.code)).toBeLessThanOrEqual(425 * 1024);
    expect(gzipSync(bundle.code, { level: 9 }).length).toBeLessThanOrEqual(141 * 1024);
  });

  const runs = inSizes({ usual: 6, deep: 50, full: 200 });

  it(`runs ${runs} workflows whose agent hands work on in QuickJS, with flat memory`, async () => {
    const app = await openQuickJs(openNodeSqlite(':memory:'), [bundle.code, settlingApp]);
    const early = Math.ceil(runs / 3);
    let earlyBytes = 0;
    for (let n = 1; n <= runs; n++) {
      expect(await app.ask(`settleOnce('A${n}')`)).toEqual({
        asked: 'waiting',
        output: 'it says: it says: paid',
      });
      if (n === early) earlyBytes = app.memoryBytes();
    }
    const bytes = app.memoryBytes();
    console.log(`core with all, in QuickJS: ${earlyBytes} bytes after ${early} runs, ${bytes} after ${runs}`);
    expect(bytes).toBeLessThan(earlyBytes + 512 * 1024);
    expect(await app.ask('[new Set(paid).size, failures]')).toEqual([runs, []]);
    await app.ask('core.close()');
    app.close();
  });
});
