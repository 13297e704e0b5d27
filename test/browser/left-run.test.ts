import { expect, it } from 'vitest';
import { servedPage, violations, visit } from './support.ts';

it('shows a fork that nobody has resumed as not started, and goes on with it from each page', async () => {
  const served = await servedPage(['one', 'two', 'three', 'four'].map((text) => ({ text })));
  const { detent } = served;
  const { runId } = await detent.run('Count to four').result;
  const forks = [];
  for (let n = 0; n < 3; n++) forks.push(await detent.runs.fork(runId, { at: 1 }));
  const [inChat, inInspector, inList] = forks.map((fork) => fork.runId);
  const { page } = await visit(served, `/chat/${forks[0]?.sessionId}`, { isQuick: true });
  const goOn = page.getByRole('button', { name: 'Resume' });
  const isDone = (run = '') => expect.poll(async () => (await detent.runs.show(run)).status).toBe('done');

  await page.getByText('A fork starts when you resume it.').waitFor();
  expect(await page.locator('.ent.stay > .g').last().innerText()).toBe('not started\nseq 1');
  expect(await violations(page)).toEqual([]);
  await goOn.click();
  await isDone(inChat);
  await goOn.waitFor({ state: 'detached' });

  await page.goto(`${served.url}/runs/${inInspector}`);
  await page.getByText('A fork starts when you resume it.').waitFor();
  expect(await violations(page)).toEqual([]);
  // Its header has the button, and so has the advice.
  await goOn.first().click();
  await isDone(inInspector);

  await page.goto(`${served.url}/runs`);
  const group = page.getByRole('region', { name: 'At rest until you resume it' });
  await group.getByText('not started').waitFor();
  await page.getByRole('navigation', { name: 'Runs by state' }).first().getByText('not started').waitFor();
  expect(await page.getByRole('region', { name: 'Working' }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await goOn.click();
  await isDone(inList);
  await group.waitFor({ state: 'detached' });
});
