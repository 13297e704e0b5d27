import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { revokeTrust, TrustRecords, trustedFolders } from '../../src/trust/agreements.ts';
import { temporaryWorkspace, tool } from '../support/detent.ts';
import { servedPage, violations, visit } from './support.ts';

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n\nBoil <b>water</b> first.\n`;

/** A workspace with a memory, a skill that is valid, one with an odd name, and one that is not. */
async function shop(): Promise<string> {
  const workspace = await temporaryWorkspace();
  await mkdir(join(workspace, 'memory'), { recursive: true });
  await writeFile(join(workspace, 'MEMORY.md'), '# Customers\n\n- Likes green tea, no jasmine\n');
  const day = Array.from({ length: 60 }, (_, i) => `- line ${i + 1}: ordinary`);
  day[40] = '- <img src=x onerror=alert(1)> sold 14 packs of Longjing';
  await writeFile(join(workspace, 'memory/2026-11-20.md'), `${day.join('\n')}\n`);
  await mkdir(join(workspace, 'skills/brew'), { recursive: true });
  await writeFile(
    join(workspace, 'skills/brew/SKILL.md'),
    skill('brew', 'Makes tea. Use when somebody is thirsty.'),
  );
  await mkdir(join(workspace, 'skills/late'), { recursive: true });
  await writeFile(join(workspace, 'skills/late/SKILL.md'), skill('Late-', 'Makes tea late.'));
  await mkdir(join(workspace, 'skills/broken'), { recursive: true });
  await writeFile(join(workspace, 'skills/broken/SKILL.md'), 'no front matter');
  return workspace;
}

it('searches the memory, and opens a hit at its line', async () => {
  const gateway = await servedPage([], { workspace: await shop() });
  const { page } = await visit(gateway, '/memory');
  await page.getByRole('link', { name: 'MEMORY.md' }).click();
  await page.getByText('- Likes green tea, no jasmine').waitFor();
  await page.getByRole('searchbox').fill('Longjing packs');
  await page.getByRole('link', { name: 'memory/2026-11-20.md' }).last().waitFor();
  await page.getByText('written by a person').first().waitFor();
  expect(await violations(page)).toEqual([]);
  await page.locator('.hits a').first().click();
  await page.locator('.lines li').first().waitFor();
  expect(page.url()).toContain('/memory/memory/2026-11-20.md?line=');
  await page.getByText('<img src=x onerror=alert(1)> sold 14 packs').waitFor();
  expect(await violations(page)).toEqual([]);
});

it('shows skills with what is wrong with them, and tools with the rule that decides', async () => {
  const gateway = await servedPage([], { workspace: await shop() });
  const { page } = await visit(gateway, '/skills');
  await page.getByText('cannot be used').waitFor();
  await page.getByRole('link', { name: '/brew' }).click();
  await page.getByText('Boil <b>water</b> first.').waitFor();
  await page.getByText('not trusted: its calls ask as usual').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(`${gateway.url}/tools/write_file`);
  await page.getByText('tool default: write_file').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('searchbox').fill('no such tool');
  await page.getByText('No tool matches “no such tool”.').waitFor();
});

it('says in Chinese what is wrong with a skill, why a tool is off, and what a provider said', async () => {
  const message =
    'https://api.acme refused the credentials (401): wrong key. Check the API key set for this provider.';
  const gateway = await servedPage(
    [{ error: { kind: 'auth', code: 'MODEL_AUTH', message, retryable: false } }],
    { tools: { disabled: ['write_file'] }, workspace: await shop() },
  );
  const { page } = await visit(gateway, '/skills/Late-', { locale: 'zh-CN' });
  await page.getByText('name "Late-" 以连字符结尾').waitFor();
  await page.goto(`${gateway.url}/skills/none`);
  await page.getByText('没有“none”').waitFor();
  await page.goto(`${gateway.url}/memory?q=nothing`);
  await page.getByText('记忆里没有与“nothing”相符的内容。').waitFor();
  await page.goto(`${gateway.url}/tools/write_file`);
  await page.getByText('配置停用了它（tools.disabled）').waitFor();
  const { runId } = await gateway.detent.run('整理留言', { sessionId: '客服' }).result;
  const said = 'https://api.acme 不接受凭据（401）：wrong key。请检查为这个提供商设置的 API 密钥。';
  await page.goto(`${gateway.url}/runs`);
  await page.locator(`a.run[href$="${runId}"]`).getByText(said).waitFor();
  await page.goto(`${gateway.url}/chat/${encodeURIComponent('客服')}`);
  await page.locator('.ended').getByText(said).waitFor();
});

it('shows the configuration with the origin of each value, and the settings of the page', async () => {
  const gateway = await servedPage([], { limits: { maxSteps: 7 } });
  const { page } = await visit(gateway, '/settings');
  const row = page.getByRole('row', { name: 'limits.maxSteps' });
  await row.getByText('7').waitFor();
  await row.getByText('program').waitFor();
  await page.getByLabel('Only values that differ from the default').check();
  await page.getByRole('row', { name: 'context.pruneAt' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'dark', exact: true }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show all keys' }).click();
  await page.getByRole('dialog').getByText('New session').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You logged out.').waitFor();
});

it('shows what is trusted, takes it back at the second press, and has no way to grant', async () => {
  const records = new TrustRecords(process.env);
  records.keepFolder({
    folder: '/srv/shop',
    at: '2026-11-01T08:00:00Z',
    files: { 'detent.config.ts': '1' },
    texts: {},
  });
  const trust = {
    folders: () => trustedFolders(records),
    revoke: (folder: string) => revokeTrust(records, folder),
  };
  const call = { toolCalls: [{ name: 'pay', arguments: { to: 'ann' } }] };
  const gateway = await servedPage(
    [call, { text: 'Paid.' }],
    { tools: { define: [tool('pay', { sideEffect: 'unsafe' })] } },
    { trust },
  );
  const { detent } = gateway;
  const { runId, pending } = await detent.run('pay', { sessionId: 'till' }).result;
  await detent.runs.confirm(runId, pending[0]?.callId ?? '', { verdict: 'approve', grant: {} });
  await detent.runs.attach(runId).result;
  const { page } = await visit(gateway, '/trust');
  await page.getByText('/srv/shop').waitFor();
  expect(await violations(page)).toEqual([]);
  const revoke = async (name: string) => {
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByRole('button', { name: 'Really revoke' }).click();
  };
  await revoke('/srv/shop');
  await page.getByText('No folder is trusted.').waitFor();
  expect(records.folder('/srv/shop')).toBeNull();
  await revoke('pay');
  await page.getByText('There are no grants.').waitFor();
  expect(await detent.sessions.grants('till')).toEqual([]);
  const words = await page.getByRole('main').getByRole('button').allTextContents();
  expect(words.every((word) => word === 'Revoke')).toBe(true);
});
