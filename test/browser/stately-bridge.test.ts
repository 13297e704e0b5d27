import { expect, it, onTestFinished } from 'vitest';
import { openBridge } from '../../src/cli/commands/inspect/bridge.ts';
import { scripted } from '../support/detent.ts';
import { browser } from './support.ts';

/** What the page of Stately does: it says that it is there, and keeps what its parent sends. */
const inspector = `<!doctype html><title>inspector</title><script>
  window.got = [];
  addEventListener('message', ({ origin, data }) => window.got.push({ origin, type: data.type }));
  parent.postMessage({ type: '@statelyai.connected' }, '*');
</script>`;

it('hands a run to the page of Stately in its frame, and to no other', async () => {
  const { detent } = await scripted([{ text: 'hello' }]);
  const { runId } = await detent.run('hi').result;
  const bridge = await openBridge(
    () => detent.runs.inspect(runId),
    (error) => expect(error).toBeUndefined(),
  );
  onTestFinished(() => bridge.stop());
  const context = await (await browser()).newContext();
  onTestFinished(() => context.close());
  await context.route('https://stately.ai/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: inspector }),
  );
  const page = await context.newPage();
  await page.goto(bridge.url);
  const frame = page.frameLocator('iframe').locator('html');
  const types = () =>
    frame.evaluate(() => (window as unknown as { got: { type: string }[] }).got.map(({ type }) => type));
  await expect
    .poll(types)
    .toEqual(['@xstate.actor', ...Array(2).fill(['@xstate.event', '@xstate.snapshot']).flat()]);
  // Another window may say the same words.
  await page.evaluate(() => postMessage({ type: '@statelyai.connected' }, '*'));
  expect(await types()).toHaveLength(5);
  // A page of Stately that is loaded anew gets all of it again.
  await page.frames()[1]?.evaluate(() => location.reload());
  await expect.poll(types).toHaveLength(5);
});
