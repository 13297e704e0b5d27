/**
 * A tool of your own, and a run that uses it.
 *
 *     node examples/own-tool.ts
 *
 * The model here is scripted, so that the example needs no key; leave `model` and `models` out for a real one.
 */

import { createDetent, defineTool, ToolFailure } from 'detent';
import { scriptedModel } from 'detent/testing';
import { z } from 'zod';

const temperatures = new Map([
  ['oslo', -3],
  ['lima', 24],
]);

const weather = defineTool({
  name: 'weather',
  description: 'The temperature in a city, in degrees Celsius.',
  parameters: z.object({ city: z.string() }),
  // After a crash it simply runs again, without a question.
  sideEffect: 'readonly',
  run({ city }, { progress }) {
    progress(`looking up ${city}`);
    const celsius = temperatures.get(city.toLowerCase());
    // The code reaches the model, the log and `--json`; the message is for the model.
    if (celsius === undefined) throw new ToolFailure('UNKNOWN_CITY', `no weather of ${city}; try Oslo`);
    return { city, celsius };
  },
});

const model = scriptedModel([
  { text: 'Let me see.', toolCalls: [{ name: 'weather', arguments: { city: 'Atlantis' } }] },
  { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
  { text: 'Nobody knows about Atlantis, but it is -3 °C in Oslo.' },
]);

const detent = createDetent({
  store: 'in-process',
  model: 'test/script',
  models: { test: model },
  tools: { define: [weather] },
});
const run = detent.run('How warm is it in Atlantis, or else in Oslo?');
for await (const signal of run.events) {
  if (signal.type === 'transition') console.log(signal.seq, signal.path);
  if (signal.type === 'progress') console.log('  ', signal.message);
}
const { status, text, steps } = await run.result;
for (const { name, argumentsRaw, result } of steps.flatMap((step) => step.toolCalls))
  console.log(`${name} ${argumentsRaw}: ${result}`);
console.log(status, '-', text);
await detent.close();
