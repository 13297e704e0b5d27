import { expect, it } from 'vitest';
import { pageBytes } from '../../../src/engine/log/read-log.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import { countingStore } from '../../support/counting-store.ts';
import { scripted, tool } from '../../support/detent.ts';

it('a long run is indexed and found page by page', async () => {
  const { store, read } = countingStore(openInMemory());
  const chars = 20_000;
  const look = tool('look', { run: async () => 'x'.repeat(chars) });
  const calls = { toolCalls: Array.from({ length: 20 }, () => ({ name: 'look', arguments: {} })) };
  const script = [calls, calls, calls, { text: 'The boat is called Nereid.' }];
  const { detent } = await scripted(script, { store, tools: { define: [look] } });
  await detent.run('What is the name of the boat?').result;
  read.pages.length = 0;
  const { results } = await detent.sessions.search(['Nereid']);
  expect(results).toMatchObject([{ snippet: expect.stringContaining('Nereid') }]);
  expect(read.pages.reduce((sum, page) => sum + page, 0)).toBeGreaterThan(60 * chars);
  expect(Math.max(...read.pages)).toBeLessThan(pageBytes + 2 * chars);
});
