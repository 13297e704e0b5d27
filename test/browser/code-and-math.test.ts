import { expect, it } from 'vitest';
import { story } from './chat-support.ts';
import { expectAccessible, servedPage, visit } from './support.ts';

const fence = '```';
const answer = [
  'The mass is $E = mc^2$, and it costs $5.',
  '$$\n\\int_0^1 x^2 \\, dx = \\frac{1}{3}\n$$',
  `${fence}ts\nconst mass = "m"; // kilograms\n${fence}`,
].join('\n\n');

it('draws formulas and colours code when an answer has them, and a selection takes both along as they were written', async () => {
  const gateway = await servedPage([{ text: answer }, { text: 'Plain.' }]);
  await gateway.detent.run('physics', { sessionId: 'physics' }).result;
  await gateway.detent.run('plain', { sessionId: 'plain' }).result;
  const { page, requests } = await visit(gateway, '/chat/plain');
  await story(page).getByText('Plain.').waitFor();
  expect(requests.filter((address) => /draw-math|code-colours/.test(address))).toEqual([]);
  await page.goto(`${gateway.url}/chat/physics`);
  await story(page).locator('math').nth(1).waitFor();
  await story(page).locator('.md-code .word').waitFor();
  expect(await story(page).locator('math mfrac').count()).toBe(1);
  const box = await story(page).locator('math').nth(1).boundingBox();
  expect(box?.height).toBeGreaterThan(20);
  const code = story(page).locator('.md-code pre');
  expect(await code.evaluate((one) => getComputedStyle(one).paddingLeft)).toBe('12px');
  const selected = await page.evaluate(() => {
    const text = document.querySelector('.md');
    if (text) getSelection()?.selectAllChildren(text);
    return String(getSelection()).replaceAll(/\s+/g, ' ');
  });
  expect(selected).toMatch(/The mass is \$E = mc\^2\$ ?, and it costs \$5\./);
  expect(selected).toContain('\\frac{1}{3}');
  expect(selected).toContain('const mass = "m"; // kilograms');
  await expectAccessible(page);
});

it('keeps a formula in its place, runs nothing of it, and is not held up by large ones', async () => {
  const hostile = [
    String.raw`$\raisebox{-90em}{\rule{900em}{900em}}$`,
    String.raw`$\kern-90em \text{<img src=x onerror=alert(1)>}$`,
    String.raw`$\href{javascript:alert(1)}{x}$`,
    `$$${'x+'.repeat(990)}x$$`,
    `${fence}ts\n${"'\\".repeat(9_000)}\n${fence}`,
    `${fence}ts\n${'a(b, "c");\n'.repeat(10_000)}${fence}`,
  ];
  const gateway = await servedPage([{ text: hostile.join('\n\n') }]);
  await gateway.detent.run('attack', { sessionId: 'attack' }).result;
  const { page } = await visit(gateway, '/chat/attack');
  await story(page).locator('math').first().waitFor();
  await story(page).getByText(String.raw`$\href{javascript:alert(1)}{x}$`).waitFor();
  expect(await story(page).locator('img, [onerror], math [style], math [href]').count()).toBe(0);
  expect(
    await story(page)
      .locator('.md-math')
      .first()
      .evaluate((one) => getComputedStyle(one).contain),
  ).toBe('paint');
  // Words of long code would be tens of thousands of elements.
  expect(await story(page).locator('*').count()).toBeLessThan(4_000);
});
