import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { DetentOptions } from '../../src/index.ts';
import type { ScriptedAnswer } from '../../src/testing/index.ts';
import { gate, temporaryWorkspace } from '../support/detent.ts';

export const before =
  '# Restock 20 Nov\n\n- Longjing, 100 g: 24\n- Tieguanyin, 250 g: 6\n- Jasmine pearls, 50 g: 30\n';
export const after =
  '# Restock 20 Nov\n\n- Longjing, 100 g: 60\n- Tieguanyin, 250 g: 18\n- Dianhong, 100 g: 12\n';
export const path = 'orders/2026-11-20.md';

export const write = (content = after): ScriptedAnswer => ({
  text: 'Here is the new order.',
  toolCalls: [{ name: 'write_file', arguments: { path, content } }],
});

/** A shop with an order that the model may write once a person agrees. */
export async function shop(): Promise<{
  workspace: string;
  options: DetentOptions;
  order(): Promise<string>;
}> {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'orders'));
  await writeFile(join(workspace, path), before);
  return {
    workspace,
    options: { workspace, tools: { allowed: ['write_file'] } },
    order: () => readFile(join(workspace, path), 'utf8'),
  };
}

export const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });
export const dialog = (page: Page) => page.getByRole('dialog');

export async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await message(page).press('Enter');
}

/** Has the model ask for the order, and stops the page's clock in the first moment of the question. */
export async function sayAndStopAtTheQuestion(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  await say(page, 'Bring the order up to date.');
  await expect
    .poll(async () => {
      await page.clock.runFor(20);
      return dialog(page).locator(':focus').count();
    })
    .toBe(1);
}

/** Waits until words are shown: in the conversation, or beside the name of its session. */
export async function saw(page: Page, words: string): Promise<void> {
  await page.getByText(words).filter({ visible: true }).first().waitFor();
}

/** Waits until the keys of a question count: until then it does not show them. */
export async function keysCount(page: Page): Promise<void> {
  await dialog(page).locator('kbd').last().waitFor();
}

/** Holds up the page's first request of a method, from the next connection on, until the gate is opened. */
export async function held(page: Page, method: string) {
  const door = gate();
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const gateway = socket.connectToServer();
    socket.onMessage(async (frame) => {
      if (JSON.parse(String(frame)).method === method) await door.pass();
      gateway.send(frame);
    });
  });
  return door;
}

/** What has the focus, in a few words. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
}

/** The page's connection, which a test breaks and mends, and whose answers it may change. */
export async function wire(page: Page) {
  const state = { isDown: false, change: (frame: string) => frame };
  const open = new Set<{ close(): Promise<void> }>();
  await page.routeWebSocket(/\/ws$/, async (socket) => {
    if (state.isDown) return socket.close();
    const gateway = socket.connectToServer();
    open.add(socket);
    gateway.onMessage((frame) => socket.send(state.change(String(frame))));
  });
  await page.route(/\/api\/v1\/(?:runs|sessions)\//, async (route) => {
    if (state.isDown) return route.abort();
    const response = await route.fetch();
    await route.fulfill({ response, body: state.change(await response.text()) });
  });
  return {
    state,
    async breakOff() {
      state.isDown = true;
      await Promise.all([...open].map((socket) => socket.close()));
    },
  };
}
