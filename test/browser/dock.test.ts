import { expect, it, onTestFinished } from 'vitest';
import { createDetent } from '../../src/index.ts';
import { type ScriptLine, scriptedModel } from '../../src/testing/index.ts';
import { serve } from '../gateway/support.ts';
import { describeDeep, itDeep } from '../support/deep.ts';
import { gate, temporaryWorkspace, tool } from '../support/detent.ts';
import {
  after,
  before,
  dialog,
  focused,
  held,
  keysCount,
  message,
  path,
  saw,
  say,
  sayAndStopAtTheQuestion,
  shop,
  wire,
  write,
} from './dock-support.ts';
import { servedPage, violations, visit } from './support.ts';

it('shows the exact change, never offers Approve to a key that was meant for something else, and runs what was approved', async () => {
  const { options, order } = await shop();
  const usage = { inputTokens: 31_900, outputTokens: 100 };
  const gateway = await servedPage([{ ...write(), usage }, { text: 'Done.' }], options);
  const { page } = await visit(gateway);
  await say(page, 'Bring the order up to date.');
  await page.getByRole('heading', { name: `Write ${path}?` }).waitFor();
  await page.getByText('25 % of context').waitFor();
  await expect.poll(() => focused(page)).toBe(`Write ${path}?`);
  expect(await violations(page)).toEqual([]);
  expect(await order()).toBe(before);
  await page.getByRole('button', { name: 'Approve' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await expect.poll(order).toBe(after);
});

it('takes keys only with the focus inside, and in the first moment says that it does not; R opens the reason, which the model reads', async () => {
  const { options, order } = await shop();
  let told = '';
  const gateway = await servedPage(
    [
      write(),
      ({ messages }) => {
        told = JSON.stringify(messages.at(-1));
        return { text: 'I ask first.' };
      },
    ],
    options,
  );
  const { page } = await visit(gateway);
  const heading = page.getByRole('heading', { name: `Write ${path}?` });
  await sayAndStopAtTheQuestion(page);
  await page.keyboard.press('Control+Enter');
  await dialog(page).getByText('Ctrl ↵ did nothing, because the question had only just appeared.').waitFor();
  expect(await dialog(page).locator('kbd').last().isVisible()).toBe(false);
  await page.clock.resume();
  await keysCount(page);
  expect(await violations(page)).toEqual([]);
  await message(page).press('r');
  expect(await message(page).inputValue()).toBe('r');
  expect(await page.getByText('Why not?').count()).toBe(0);
  await heading.focus();
  await page.keyboard.press('r');
  await page.getByLabel('Why not?').waitFor();
  expect(await page.getByLabel('Why not?').evaluate((own) => own === document.activeElement)).toBe(true);
  await page.keyboard.type('Ask me how many packs fit on the shelf.');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await focused(page)).toBe(`Write ${path}?`);
  await page.keyboard.press('r');
  await page.getByRole('button', { name: 'Reject with this reason' }).waitFor();
  await page.getByLabel('Why not?').press('Control+Enter');
  await saw(page, 'I ask first.');
  expect(told).toContain('Ask me how many packs fit on the shelf.');
  expect(await order()).toBe(before);
});

it('changes the arguments in a form of the schema, shows the difference, and runs those bytes', async () => {
  const { options, order } = await shop();
  const gateway = await servedPage([write(), { text: 'Done.' }], options);
  const { page } = await visit(gateway);
  await say(page, 'Bring the order up to date.');
  await page.getByRole('button', { name: 'Modify…' }).click();
  const approve = page.getByRole('button', { name: 'Approve as changed' });
  expect(await approve.isDisabled()).toBe(true);
  const content = page.getByLabel('content');
  // It opens at the first field that the tool needs.
  expect(await page.getByLabel('path').evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await content.inputValue()).toBe(after);
  await content.fill(after.replace('100 g: 12', '100 g: 8'));
  await page.getByLabel('What you changed').getByText('Dianhong, 100 g: 8').waitFor();
  expect(await violations(page)).toEqual([]);
  await approve.click();
  await expect.poll(order).toBe(after.replace('100 g: 12', '100 g: 8'));
});

it('approves for the rest of the session exactly what it says, and the second such call does not ask', async () => {
  const { options, order } = await shop();
  const gateway = await servedPage([write(), write('# Empty\n'), { text: 'Both are written.' }], options);
  const { page } = await visit(gateway);
  await say(page, 'Bring the order up to date.');
  await page.getByLabel('Also for the rest of this session').check();
  await page.getByText(`write_file, path “${path}”, any content`).waitFor();
  await page.getByRole('button', { name: 'Approve for this session' }).click();
  await saw(page, 'Both are written.');
  expect(await order()).toBe('# Empty\n');
  const [run] = await gateway.detent.runs.list();
  const calls = (await gateway.detent.runs.show(String(run?.runId))).steps.flatMap(
    ({ toolCalls }) => toolCalls,
  );
  expect(calls.map(({ decision }) => decision)).toEqual(['approve', null]);
});

itDeep('closes when another device decides, and says so', async () => {
  const { options } = await shop();
  const gateway = await servedPage([write(), { text: 'Done.' }], options);
  const { page, context } = await visit(gateway);
  await say(page, 'Bring the order up to date.');
  await dialog(page).waitFor();
  const second = await context.newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: 'Approve' }).click();
  await page.getByText(/^Approved on another device, \d?\d:\d\d$/).waitFor();
  expect(await dialog(page).count()).toBe(0);
  expect(await second.getByText('on another device').count()).toBe(0);
});

it('answers a question by its options, and then a form of a tool at work, whose wrong fields say what is wrong', async () => {
  const parcel = tool('parcel', {
    async run(_, { ask }) {
      const said = await ask?.({
        text: 'Where does the parcel go?',
        fields: [
          { name: 'city', type: 'text', title: 'City', min: 2 },
          { name: 'packs', type: 'integer', title: 'Packs', max: 9, default: 1 },
          { name: 'gift', type: 'boolean', title: 'Gift wrapping' },
          { name: 'note', type: 'text', title: 'Note', optional: true },
        ],
      });
      return JSON.stringify(said);
    },
  });
  const heard: string[] = [];
  const gateway = await servedPage(
    [
      {
        toolCalls: [
          {
            name: 'ask_user',
            arguments: { question: 'Which tea?', options: ['Longjing', 'Dianhong'] },
          },
        ],
      },
      { toolCalls: [{ name: 'parcel' }] },
      ({ messages }) => {
        heard.push(
          ...messages.filter(({ role }) => role === 'tool').map((message) => JSON.stringify(message)),
        );
        return { text: 'It is on its way.' };
      },
    ],
    { tools: { allowed: ['ask_user', 'parcel'], define: [parcel] } },
  );
  const { page } = await visit(gateway);
  await say(page, 'Send a gift.');
  await page.getByRole('heading', { name: 'Which tea?' }).waitFor();
  const answer = page.getByRole('button', { name: 'Answer', exact: false }).last();
  expect(await answer.isDisabled()).toBe(true);
  await page.getByLabel('Dianhong').check();
  expect(await violations(page)).toEqual([]);
  await answer.click();
  await page.getByRole('heading', { name: 'Where does the parcel go?' }).waitFor();
  await page.getByLabel('City').fill('X');
  await page.getByLabel('Packs').fill('12');
  await answer.click();
  await page.getByText('At least 2 characters.').waitFor();
  await page.getByText('At most 9.').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel('City').fill('Shanghai');
  await page.getByLabel('Packs').fill('2');
  await page.getByLabel('Gift wrapping').check();
  await page.getByLabel('Note').fill('Not before noon');
  // The button goes, and with it the focus: a key still answers the question.
  await page.getByRole('button', { name: /^Leave out *: Note/ }).click();
  await keysCount(page);
  await page.keyboard.press('Control+Enter');
  await saw(page, 'It is on its way.');
  expect(heard[0]).toContain('Dianhong');
  expect(heard[1]).toContain(String.raw`{\"city\":\"Shanghai\",\"packs\":2,\"gift\":true}`);
});

itDeep(
  'gives the letters that a person presses as the question comes to the message they began',
  async () => {
    const { options, order } = await shop();
    const gateway = await servedPage([write()], options);
    const { page } = await visit(gateway);
    await sayAndStopAtTheQuestion(page);
    expect(await focused(page)).toBe(`Write ${path}?`);
    await page.keyboard.type('In May, not now');
    expect(await message(page).inputValue()).toBe('In May, not now');
    expect(new URL(page.url()).pathname).toMatch(/^\/chat\/./);
    expect(await dialog(page).count()).toBe(1);
    expect(await order()).toBe(before);
  },
);

itDeep('decides on the call of a sub-run, and says whose it is', async () => {
  const { options, order } = await shop();
  const gateway = await servedPage(
    [
      { toolCalls: [{ name: 'task', arguments: { prompt: 'Bring the order up to date.' } }] },
      write(),
      { text: 'The order is written.' },
      { text: 'All done.' },
    ],
    { ...options, tools: { allowed: ['write_file', 'task'] } },
  );
  const { page } = await visit(gateway);
  await say(page, 'Have the order written.');
  await page.getByRole('heading', { name: `Write ${path}?` }).waitFor();
  await page.getByText('sub-run run_').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await saw(page, 'All done.');
  expect(await order()).toBe(after);
  expect(await dialog(page).count()).toBe(0);
  // The session of the sub-run is folded under the one that it works for.
  const column = page.locator('.sess');
  const fold = column.getByRole('button', { name: '1 run below it' });
  await fold.waitFor();
  const below = column.getByRole('link', { name: /Bring the order up to date/ });
  expect(await below.count()).toBe(0);
  await fold.click();
  expect(await violations(page)).toEqual([]);
  await below.click();
  await page.waitForURL(/task/);
  // It stays open while its session is.
  await page.reload();
  await below.waitFor();
});

itDeep(
  'decides nothing when the arguments are not those that were seen, and shows those that would run',
  async () => {
    const { options, order } = await shop();
    const gateway = await servedPage([write(), { text: 'Done.' }], options);
    const { page } = await visit(gateway, '/jobs');
    const { state } = await wire(page);
    await page.goto(`${gateway.url}/chat`);
    // The page sees other bytes than those that are there, until it is refused for that.
    let isRefused = false;
    state.change = (frame) => {
      isRefused ||= frame.includes('HASH_MISMATCH');
      return isRefused ? frame : frame.replace(/"argumentsHash":"[0-9a-f]{8}/g, '"argumentsHash":"00000000');
    };
    await say(page, 'Bring the order up to date.');
    await page.getByText('00000000…').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The arguments changed after you saw them.').waitFor();
    expect(await order()).toBe(before);
    await expect.poll(() => page.getByText('00000000…').count()).toBe(0);
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(order).toBe(after);
  },
);

itDeep(
  'asks what became of a call whose process ended, and gives the model what the person found out',
  async () => {
    const workspace = await temporaryWorkspace();
    const work = gate();
    let told = '';
    const open = (...script: ScriptLine[]) =>
      createDetent({
        workspace,
        env: {},
        model: 'test/script',
        models: { test: scriptedModel(script) },
        tools: {
          allowed: ['refund'],
          define: [tool('refund', { sideEffect: 'unsafe', run: () => work.pass() })],
        },
      });
    const first = open({ toolCalls: [{ name: 'refund', arguments: { order: 'A-1043' } }] });
    const { runId } = first.run('Refund A-1043', { approve: 'all', sessionId: 'refunds' });
    await work.reached;
    await first.close();
    const second = open(({ messages }) => {
      told = JSON.stringify(messages.at(-1));
      return { text: 'It was paid back.' };
    });
    onTestFinished(() => second.close());
    await second.runs.resume();
    await second.runs.attach(runId).result;
    const gateway = await serve(second, { page: true });
    const { page } = await visit(gateway, '/chat/refunds');
    await page.getByRole('heading', { name: 'Did refund run?' }).waitFor();
    await page.getByText('not safe: it may happen twice').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'It ran…' }).click();
    await page.getByLabel('What it returned').fill('Receipt 77');
    await page.getByRole('button', { name: 'It ran' }).click();
    await saw(page, 'It was paid back.');
    expect(told).toContain('Receipt 77');
    expect(await dialog(page).count()).toBe(0);
  },
);

describeDeep('a question, in rarer cases', () => {
  it('wraps the long lines of a change, and copies the arguments of a call as they are', async () => {
    const { options, order } = await shop();
    const content = `# Restock\n\n- ${'Longjing, '.repeat(60)}\n`;
    const gateway = await servedPage([write(content), { text: 'Done.' }], options);
    const { page, context } = await visit(gateway);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await say(page, 'Bring the order up to date.');
    const shape = () =>
      page.locator('section.diff').evaluate((diff) => ({
        isWithin: diff.scrollWidth <= diff.clientWidth,
        lines: Math.max(...[...diff.children].map(({ clientHeight }) => clientHeight)) > 40,
      }));
    await page.locator('section.diff').waitFor();
    expect(await shape()).toEqual({ isWithin: true, lines: true });
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(order).toBe(content);
    await saw(page, 'Done.');
    // It is open for its change; opened by hand, it has all of the call.
    const card = page.getByRole('button', { name: /^write_file/ });
    for (let n = 0; n < 2; n++) await card.click();
    expect(await shape()).toEqual({ isWithin: true, lines: true });
    const copy = page.getByRole('region', { name: 'Arguments' }).getByRole('button', { name: /^Cop/ });
    await copy.click();
    await copy.filter({ hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toEqual({ path, content });
  });

  it('asks about several calls one after the other, and shows what they hold as text', async () => {
    const act = tool('act', { sideEffect: 'unsafe' });
    const hostile = {
      path: '<img src=x onerror=alert(1)>\u202egpj.exe',
      note: 'x'.repeat(300_000),
      list: Array.from({ length: 5_000 }, (_, i) => i),
    };
    const calls = [hostile, { n: 2 }].map((args) => ({ name: 'act', arguments: args }));
    const gateway = await servedPage([{ toolCalls: calls }, { text: 'Both ran.' }], {
      tools: { allowed: ['act'], define: [act] },
    });
    const { page } = await visit(gateway);
    await say(page, 'Act twice.');
    await page
      .getByRole('heading', { name: 'act: <img src=x onerror=alert(1)>\\u{202e}gpj.exe? 1 of 2' })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'act: 2? 2 of 2' }).waitFor();
    await expect.poll(() => focused(page)).toContain('act: 2?');
    await dialog(page).getByRole('button', { name: 'Reject…' }).click();
    await dialog(page).getByRole('button', { name: 'Reject' }).last().click();
    await saw(page, 'Both ran.');
    await expect.poll(() => focused(page)).toBe('');
    expect(await message(page).evaluate((own) => own === document.activeElement)).toBe(true);
  });

  it('withdraws the question when the person says something, and does not take the caret while they write', async () => {
    const { options, order } = await shop();
    const writing = gate();
    const gateway = await servedPage(
      [
        async () => {
          await writing.pass();
          return write();
        },
        ({ messages }) => ({
          text: `Heard: ${JSON.stringify(messages.at(-1)).includes('Leave the jasmine')}`,
        }),
      ],
      options,
    );
    const { page } = await visit(gateway);
    await message(page).fill('Bring the order up to date.');
    await message(page).press('Enter');
    await message(page).pressSequentially('Leave the jas');
    writing.open();
    await dialog(page).waitFor();
    expect(await message(page).evaluate((own) => own === document.activeElement)).toBe(true);
    expect(await message(page).getAttribute('placeholder')).toBe('A message withdraws the question');
    await message(page).pressSequentially('mine out.');
    await message(page).press('Enter');
    await saw(page, 'Heard: true');
    expect(await dialog(page).count()).toBe(0);
    expect(await page.getByText('on another device').count()).toBe(0);
    expect(await order()).toBe(before);
  });

  it('keeps what a person writes in the form of a call, also when the schema of the tool comes later', async () => {
    const { options, order } = await shop();
    const gateway = await servedPage([write(), { text: 'Done.' }], options);
    const { page } = await visit(gateway, '/jobs');
    const tools = await held(page, 'tool.list');
    await page.goto(`${gateway.url}/chat`);
    await say(page, 'Bring the order up to date.');
    await page.getByRole('button', { name: 'Modify…' }).click();
    const json = dialog(page).getByRole('textbox', { name: 'arguments' });
    await json.fill(JSON.stringify({ path, content: '# Closed\n' }));
    tools.open();
    await page
      .getByText('not safe: it may happen twice')
      .or(page.getByText('safe: ').first())
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Approve as changed' }).click();
    await expect.poll(order).toBe('# Closed\n');
  });

  it('says of a call of another program that this one performs it, and can close it', async () => {
    const gateway = await servedPage([{ toolCalls: [{ name: 'print_label' }] }, { text: 'No label then.' }]);
    await gateway.http('/api/v1/runs', {
      method: 'POST',
      body: { prompt: 'Print', sessionId: 'labels', clientTools: [{ name: 'print_label' }] },
    });
    const { page } = await visit(gateway, '/chat/labels');
    await page
      .getByRole('heading', { name: 'print_label: the program that started this run performs it' })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close without a result' }).click();
    await saw(page, 'No label then.');
  });

  it('says so when a question expires while it is shown', async () => {
    const { options, order } = await shop();
    const gateway = await servedPage([write(), { text: 'Nothing was written.' }], {
      ...options,
      // Long enough for a page on a busy machine to show the question before that.
      limits: { confirmExpiryMs: 4_000 },
    });
    const { page } = await visit(gateway);
    await say(page, 'Bring the order up to date.');
    await dialog(page).waitFor();
    await page.getByText(/^The question expired, \d?\d:\d\d\. It counts as rejected\.$/).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await dialog(page).count()).toBe(0);
    expect(await order()).toBe(before);
  });

  it('lets a login without the right to decide look at a question, and says why the buttons rest', async () => {
    const { options } = await shop();
    const gateway = await servedPage([write()], options);
    const { page } = await visit(gateway);
    await page.evaluate(
      (token) => sessionStorage.setItem('detent.token ', token),
      await gateway.token({ scopes: ['read', 'write'] }),
    );
    await page.reload();
    await say(page, 'Bring the order up to date.');
    await page.getByText('This login may read, but not decide.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
  });
});
