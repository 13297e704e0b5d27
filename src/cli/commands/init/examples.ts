import type { ConfigLanguage } from './render-config.ts';

/** An example tool without network access, with constant results. */
export const weatherTool = `import { defineTool, ToolFailure } from 'detent';

// A stand-in for a weather service: it needs no network, and says the same every day.
const reports: Record<string, { sky: string; celsius: number }> = {
  oslo: { sky: 'rain', celsius: 7 },
  cairo: { sky: 'clear', celsius: 31 },
  lima: { sky: 'fog', celsius: 18 },
};

export const weather = defineTool<{ city: string }>({
  name: 'weather',
  description: 'Current weather of a city: sky, and temperature in degrees Celsius.',
  jsonSchema: {
    type: 'object',
    properties: { city: { type: 'string', description: 'the name of the city, in English' } },
    required: ['city'],
    additionalProperties: false,
  },
  // It changes nothing: it runs without a person, and is simply run again after a crash.
  sideEffect: 'readonly',
  run({ city }) {
    const report = reports[city.trim().toLowerCase()];
    // What a tool throws is what the model reads: it can mend its call.
    if (!report) throw new ToolFailure('UNKNOWN_CITY', \`there are reports for \${Object.keys(reports).join(', ')}\`);
    return { city, ...report };
  },
});
`;

/** An example workflow that a person answers. It needs no model, and imports nothing but what Detent itself resolves. */
export const purchaseMachine = `import { ask, step, workflow } from 'detent/workflow';
import { assign, setup } from 'xstate';

// A statechart that outlives its process: kill it where you like, and "detent runs resume --all" goes on.
const purchase = setup({
  types: {
    input: {} as { item?: string; price?: number } | null,
    context: {} as { item: string; price: number; why: string },
    output: {} as { item: string; result: string; why: string },
  },
  actors: {
    // A person decides, now or in days. Meanwhile the run is rows in a database, and holds no process.
    approve: ask({
      question: ({ item, price }: { item: string; price: number }) => \`Buy \${item} for \${price} EUR?\`,
    }),
    // A stand-in for a shop. After a crash in its midst it runs again: a real shop gets the key, and sells once.
    order: step({
      sideEffect: 'idempotent',
      run: ({ item }: { item: string }, { idempotencyKey }) => \`ordered \${item} under \${idempotencyKey}\`,
    }),
  },
  guards: {
    isCheap: ({ context }) => context.price < 20,
    isApproved: (_, { approved }: { approved: boolean }) => approved,
  },
  actions: {
    noteWhy: assign((_, { why }: { why: string }) => ({ why })),
  },
  delays: { patience: 3 * 86_400_000 },
}).createMachine({
  id: 'purchase',
  version: '1',
  description: 'Buys something. A person approves what is not cheap, within three days.',
  context: ({ input }) => ({ item: input?.item ?? 'a desk lamp', price: input?.price ?? 45, why: '' }),
  output: ({ context, event }) => ({ item: context.item, result: String(event.output), why: context.why }),
  initial: 'checking',
  states: {
    checking: { always: [{ guard: 'isCheap', target: 'ordering' }, { target: 'approving' }] },
    approving: {
      invoke: {
        id: 'approve',
        src: 'approve',
        input: ({ context: { item, price } }) => ({ item, price }),
        onDone: [
          { guard: { type: 'isApproved', params: ({ event }) => event.output }, target: 'ordering' },
          {
            target: 'declined',
            actions: { type: 'noteWhy', params: ({ event }) => ({ why: event.output.reason ?? 'rejected' }) },
          },
        ],
        onError: { target: 'declined', actions: { type: 'noteWhy', params: { why: 'the question failed' } } },
      },
      after: {
        patience: {
          target: 'declined',
          actions: { type: 'noteWhy', params: { why: 'no decision in three days' } },
        },
      },
    },
    ordering: {
      invoke: {
        id: 'order',
        src: 'order',
        input: ({ context: { item } }) => ({ item }),
        onDone: {
          target: 'ordered',
          actions: { type: 'noteWhy', params: ({ event }) => ({ why: event.output }) },
        },
        onError: { target: 'declined', actions: { type: 'noteWhy', params: { why: 'the order failed' } } },
      },
    },
    ordered: { type: 'final', output: 'ordered' },
    declined: { type: 'final', output: 'declined' },
  },
});

export default workflow(purchase);
`;

/** A test of the agent, for Node's own runner. It uses the configuration, as far as that can be imported. */
export function agentTest(language: ConfigLanguage): string {
  return language === 'ts' ? weatherTest : calculatorTest(language === 'json');
}

const weatherTest = `// Run it with: node --test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDetent } from 'detent';
import { scriptedModel } from 'detent/testing';
import config from '../detent.config.ts';

test('the agent looks the weather up before it answers', async () => {
  // A model that says what the script says: no key, no network, the same every time.
  const model = scriptedModel([
    { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
    { text: 'Take an umbrella: it rains in Oslo.' },
  ]);
  const detent = createDetent({
    ...config,
    store: 'in-process',
    model: 'test/script',
    models: { test: model },
  });

  const { status, text, steps } = await detent.run('Do I need an umbrella in Oslo?').result;
  await detent.close();

  assert.equal(status, 'done');
  assert.equal(text, 'Take an umbrella: it rains in Oslo.');
  assert.deepEqual(JSON.parse(steps[0]?.toolCalls[0]?.result ?? ''), { city: 'Oslo', sky: 'rain', celsius: 7 });
  model.assertComplete();
});

test('the agent hears which cities there are when it asks for another', async () => {
  const model = scriptedModel([
    { toolCalls: [{ name: 'weather', arguments: { city: 'Atlantis' } }] },
    { text: 'I know nothing of Atlantis.' },
  ]);
  const detent = createDetent({
    ...config,
    store: 'in-process',
    model: 'test/script',
    models: { test: model },
  });

  await detent.run('And in Atlantis?').result;
  await detent.close();

  assert.match(model.requests[1]?.messages.at(-1)?.text ?? '', /oslo, cairo, lima/);
});
`;

function calculatorTest(importsConfig: boolean): string {
  const importLine = "import config from '../detent.config.json' with { type: 'json' };\n";
  return `// Run it with: node --test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDetent } from 'detent';
import { scriptedModel } from 'detent/testing';
${importsConfig ? importLine : ''}
test('the agent calculates before it answers', async () => {
  // A model that says what the script says: no key, no network, the same every time.
  const model = scriptedModel([
    { toolCalls: [{ name: 'calculator', arguments: { expression: '17 * 23' } }] },
    { text: 'It is 391.' },
  ]);
  const detent = createDetent({
${importsConfig ? '    ...config,\n' : ''}    store: 'in-process',
    model: 'test/script',
    models: { test: model },
  });

  const { status, text, steps } = await detent.run('What is 17 * 23?').result;
  await detent.close();

  assert.equal(status, 'done');
  assert.equal(text, 'It is 391.');
  assert.match(steps[0]?.toolCalls[0]?.result ?? '', /391/);
  model.assertComplete();
});
`;
}
