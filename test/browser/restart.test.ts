import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryWorkspace } from '../support/detent.ts';
import { freePort } from '../support/listening.ts';
import { kill } from '../support/processes.ts';
import { visit } from './support.ts';

const program = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** `detent serve` in a process of its own, with the built-in demo as its model. */
async function serveIn(workspace: string, port: number) {
  const child = spawn(process.execPath, [program, 'serve', '--port', String(port), '--json'], {
    cwd: workspace,
    env: { ...process.env, OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => kill(child));
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const { url, loginUrl } = JSON.parse(line) as { url: string; loginUrl: string };
  return { child, url, loginCode: () => new URL(loginUrl).hash.slice('#login='.length) };
}

it('says that the gateway is gone, comes back by itself after kill -9 and restart, and shows all once', async () => {
  const workspace = await temporaryWorkspace();
  const port = await freePort();
  const first = await serveIn(workspace, port);
  const { page } = await visit({ url: first.url, gateway: first }, '/chat', {
    expects: /WebSocket connection|ERR_CONNECTION/,
    // All of the conversation is drawn at once.
    viewport: { width: 1440, height: 5_000 },
  });
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('Show me how you work');
  await composer.press('Enter');
  const said = () => page.locator('.convo').innerText();
  const count = async (words: string) => (await said()).split(words).length - 1;
  // In the middle of an answer, whose words are in no log yet.
  await page.locator('.convo').getByText('Step 1 of 3').waitFor();
  await kill(first.child);
  await page.getByText('Detent is not responding.', { exact: false }).waitFor();

  const second = await serveIn(workspace, port);
  await page.getByText('Detent is not responding.', { exact: false }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await expect.poll(() => count('Step 1 of 3')).toBe(1);
  await expect.poll(() => count('Show me how you work')).toBe(1);

  // Once more while the run waits for the person, who decides as soon as the page is back.
  await kill(second.child);
  await page.getByText('Detent is not responding.', { exact: false }).waitFor();
  await serveIn(workspace, port);
  await page.getByText('Detent is not responding.', { exact: false }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('.convo').getByText('That was one run.').waitFor();
  for (const words of ['Step 1 of 3', 'Step 2 of 3', 'Step 3 of 3', 'That was one run.'])
    await expect.poll(() => count(words), { message: words }).toBe(1);
  await page.reload();
  await page.locator('.convo').getByText('That was one run.').waitFor();
  for (const words of ['Step 1 of 3', 'Step 2 of 3', 'Step 3 of 3', 'That was one run.'])
    await expect.poll(() => count(words), { message: words }).toBe(1);
});
