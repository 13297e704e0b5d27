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
