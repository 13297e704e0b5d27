import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ScriptLine } from '../../src/testing/index.ts';
import { serve } from '../gateway/support.ts';
import { scripted, tool } from '../support/detent.ts';
import { marks, say, story } from './chat-support.ts';
import { logInWith, type ViewOptions, violations, visit } from './support.ts';

const transfers: ScriptLine = {
  toolCalls: [{ name: 'transfer_to_human', arguments: {} }],
};

/** A shop whose agent can ask for a person; a customer, Ann, and Bob of the staff, each in a browser of their own. */
async function shop(script: readonly ScriptLine[], view: ViewOptions = {}) {
  const transfer = tool('transfer_to_human', {
    sideEffect: 'idempotent',
    async run(_args, { sessionId = '', idempotencyKey: key }) {
      const words = {
        reason: 'Refund of order 7',
        summary: 'The shirt has a hole. She wants her money back.',
      };
      await detent.sessions.requestTakeover(sessionId, { ...words, key });
      return 'A person will come.';
    },
  });
  const refund = tool('refund', { sideEffect: 'unsafe', confirm: 'staff', run: () => 'refunded' });
  const { detent } = await scripted(script, { tools: { define: [transfer, refund] } });
  const gateway = await serve(detent, { page: true, onError: () => {} });
  const as = async (token: string) => {
    const { page } = await visit(gateway, '/chat', { isQuick: true, ...view });
    await logInWith(token, page, `${gateway.url}/chat`);
    return page;
  };
  const customer = await gateway.token({ scopes: ['talk'], userId: 'ann' });
  const staff = await gateway.token({ scopes: ['read', 'write', 'approve'], userId: 'bob', sees: 'tenant' });
  return { ...gateway, customer, ann: () => as(customer), bob: () => as(staff) };
}

const sessions = (page: Page) => page.getByRole('complementary', { name: 'Sessions' });
const speaks = (page: Page) => page.getByRole('region', { name: 'Who speaks here' });

it('has a person of the staff take a conversation over, speak in it and give it back, while both see who speaks', async () => {
  const world = await shop([
    { text: 'Which order?' },
    transfers,
    { text: 'A person will come.' },
    { text: 'Bye, Ann.' },
  ]);
  const ann = await world.ann();
  await say(ann, 'My shirt has a hole');
  await story(ann).getByText('Which order?').waitFor();
  await story(ann).getByRole('button', { name: 'Bad answer' }).click();
  await story(ann).getByLabel('Why?', { exact: false }).fill('I said it already');
  await story(ann).getByRole('button', { name: 'Send', exact: true }).click();
  await story(ann).getByText('Thank you.').waitFor();
  const [{ sessionId } = { sessionId: '' }] = await world.detent.sessions.list();
  const { conversation } = await world.detent.sessions.show(sessionId);
  expect(conversation.at(-1)?.rating).toMatchObject({
    thumb: 'down',
    reason: 'I said it already',
    by: 'ann',
  });

  await say(ann, 'Order 7');
  await speaks(ann).getByText('A person was requested').waitFor();
  await story(ann).getByText('A person will come.').waitFor();
  expect(await speaks(ann).getByRole('button').count()).toBe(0);
  expect(await speaks(ann).innerText()).not.toMatch(/Refund|hole/);

  const bob = await world.bob();
  const waiting = sessions(bob).locator('section', { hasText: 'Waiting for staff' });
  await waiting.getByText('Refund of order 7').waitFor();
  await waiting.getByRole('link').click();
  await speaks(bob).getByText('She wants her money back.', { exact: false }).waitFor();
  await story(bob).getByText('The user calls this answer bad').waitFor();
  await story(bob).getByText('I said it already').waitFor();
  expect(await story(bob).getByRole('button', { name: 'Bad answer' }).count()).toBe(0);
  expect(await bob.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  expect(await violations(bob)).toEqual([]);
  await speaks(bob).getByRole('button', { name: 'Take over' }).click();
  await speaks(bob).getByText('You have this conversation').waitFor();
  await sessions(bob).getByRole('heading', { name: 'You have this conversation' }).waitFor();
  await say(bob, 'I am Bob. The money comes today.');

  await story(ann).getByText('The money comes today.', { exact: false }).waitFor();
  await speaks(ann).getByText('A person is here').waitFor();
  expect(await violations(ann)).toEqual([]);
  expect(await ann.locator('body').innerText()).not.toMatch(/\bbob\b|Refund of/);
  await say(ann, 'Thank you, Bob');
  await story(bob).getByText('Thank you, Bob').waitFor();
  expect((await marks(bob)).slice(-3)).toEqual(['Staff', 'You', 'ann']);
  expect((await marks(ann)).slice(-3)).toEqual(['Staff', 'Staff', 'You']);

  await speaks(bob).getByRole('button', { name: 'Give back' }).click();
  await story(ann).getByText('Bye, Ann.').waitFor();
  await speaks(ann).waitFor({ state: 'detached' });
  await story(ann).getByText('The assistant has the conversation again.').waitFor();
  await bob.getByRole('textbox', { name: 'Message' }).waitFor();
  await speaks(bob).waitFor({ state: 'detached' });
});

it('opens a conversation that waits for a person at its last words, and stays there when it is taken over', async () => {
  const told = Array.from({ length: 4 }, (_, n) => ({
    text: `Answer ${n}.\n\n${'More about it.\n\n'.repeat(6)}`,
  }));
  const world = await shop([...told, transfers, { text: 'A person will come.' }]);
  const ann = await world.connect(world.customer);
  for (const prompt of [...told.keys(), 'a person, please']) {
    const { runId } = await ann.ask('agent.run', { prompt: `Question: ${prompt}`, sessionId: 'till' });
    await world.detent.runs.attach(String(runId)).result;
  }
  const bob = await world.bob();
  await sessions(bob).locator('section', { hasText: 'Waiting for staff' }).getByRole('link').click();
  await story(bob).getByText('A person will come.').waitFor();
  await story(bob).getByText('Answer 3.', { exact: false }).waitFor();
  const isAtEnd = () =>
    story(bob).evaluate((all) => {
      const { scrollTop, clientHeight, scrollHeight } = all.closest('.scroller') ?? all;
      return scrollHeight > clientHeight && scrollHeight - clientHeight - scrollTop < 5;
    });
  await expect.poll(isAtEnd).toBe(true);
  await speaks(bob).getByRole('button', { name: 'Take over' }).click();
  const message = bob.getByRole('textbox', { name: 'Message' });
  await message.waitFor();
  await expect.poll(isAtEnd).toBe(true);
  // A message of several lines takes room from the conversation.
  const height = () => story(bob).evaluate(({ clientHeight }) => clientHeight);
  const before = await height();
  await message.fill('A\nletter\nof\nmany\nlines');
  await expect.poll(height).toBeLessThan(before - 20);
  await expect.poll(isAtEnd).toBe(true);
});

it('lists for the staff the calls that wait for it, and says when another device performs one', async () => {
  const world = await shop([
    { toolCalls: [{ name: 'refund', arguments: { order: '7' } }] },
    { text: 'Refunded.' },
    { toolCalls: [{ name: 'scan', arguments: {} }] },
  ]);
  const ann = await world.ann();
  await say(ann, 'I send it back');
  await ann.getByText('Someone else decides on this.', { exact: false }).waitFor();
  const bob = await world.bob();
  const waiting = sessions(bob).locator('section', { hasText: 'Waiting for staff' });
  await waiting.getByText('Staff decides: refund').waitFor();
  await sessions(ann).getByText('Staff decides: refund').waitFor();
  expect(await sessions(ann).getByRole('heading').allInnerTexts()).toEqual(['Working']);
  await waiting.getByRole('link').click();
  await bob.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();

  const phone = await world.connect(world.customer);
  const clientTools = [{ name: 'scan', description: 'Scans a code', parameters: { type: 'object' } }];
  const { runId } = await phone.ask('agent.run', { prompt: 'scan it', sessionId: 'till', clientTools });
  await ann.goto(`${world.url}/chat/ann:till`);
  await ann.getByRole('heading', { name: 'scan:' }).waitFor();
  await phone.ask('client.claim', { runId, callId: 'c2', installation: 'phone', holdMs: 60_000 });
  await ann.getByText('A device is performing it', { exact: false }).waitFor();
  expect(await ann.locator('body').innerText()).not.toContain('phone');
});
