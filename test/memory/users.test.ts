import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScriptLine } from '../../src/testing/index.ts';
import { isFlush, talkative, words } from '../agent/compaction/support.ts';
import { scripted } from '../support/detent.ts';
import { workspaceWith } from './support.ts';

const of = (userId: string, tenantId = 1) => ({ principal: { userId, tenantId } });
const remember = (line: string): ScriptLine[] => [
  { toolCalls: [{ name: 'memory_write', arguments: { lines: [line], to: 'long_term' } }] },
  { text: 'Noted.' },
];

/** A workspace whose memory has a line of its owner, and in which ada and bob have had a line remembered. */
async function having(...more: ScriptLine[]) {
  const workspace = await workspaceWith({ 'memory/MEMORY.md': '# Memory\n\n- The boat is called Nereid.\n' });
  const script = [...remember('The word is heron.'), ...remember('The word is walrus.'), ...more];
  const made = await scripted(script, { workspace });
  await made.detent.run('remember', { sessionId: 'a', ...of('ada') }).result;
  await made.detent.run('remember', { sessionId: 'b', ...of('bob') }).result;
  const lastSeen = () => JSON.stringify(made.model.requests.at(-1)?.messages);
  return { ...made, workspace, lastSeen };
}

describe('the memory of a user', () => {
  it('is recalled in runs for that user alone, and that of the workspace in runs for no user', async () => {
    const { detent, lastSeen } = await having({ text: 'ok' }, { text: 'ok' }, { text: 'ok' });
    await detent.run('What is the word?', of('ada')).result;
    expect(lastSeen()).toContain('heron');
    expect(lastSeen()).not.toMatch(/walrus|Nereid/);
    await detent.run('What is the word?', of('bob')).result;
    expect(lastSeen()).toContain('walrus');
    expect(lastSeen()).not.toMatch(/heron|Nereid/);
    await detent.run('What is the word?').result;
    expect(lastSeen()).toContain('Nereid');
    expect(lastSeen()).not.toMatch(/heron|walrus/);
  });

  it('is all that the tools find, whatever the model asks for', async () => {
    const calls = [
      { name: 'memory_search', arguments: { query: 'the word heron walrus Nereid' } },
      { name: 'memory_get', arguments: { path: 'memory/MEMORY.md' } },
    ];
    const { detent, lastSeen } = await having({ toolCalls: calls }, { text: 'ok' });
    await detent.run('look', { ...of('bob') }).result;
    expect(lastSeen()).toContain('walrus');
    expect(lastSeen()).not.toMatch(/- The (word is heron|boat)/);
  });

  it('is what a program names by userId', async () => {
    const { detent } = await having();
    await detent.tenants.create({ name: 'acme' });
    const found = async (whose: { userId?: string | null; tenantId?: number }) =>
      (await detent.memory.search('word boat', whose)).results.map(({ snippet }) => snippet).join();
    expect(await found({ userId: 'ada' })).toMatch(/heron/);
    expect(await found({ userId: 'ada' })).not.toMatch(/walrus|Nereid/);
    expect(await found({ userId: 'ada', tenantId: 2 })).toBe('');
    expect(await found({ userId: null })).toMatch(/Nereid/);
    expect(await found({ userId: null })).not.toMatch(/heron|walrus/);
    await detent.memory.write(['The word was lynx.'], { userId: 'ada', to: 'long_term' });
    const { text } = await detent.memory.get('memory/MEMORY.md', { userId: 'ada' });
    expect(text).toMatch(/heron[\s\S]*lynx/);
    await expect(detent.memory.search('x', { userId: 7 as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('lies in a folder of Detent’s own, whatever the user is called', async () => {
    const { detent, workspace } = await having();
    const odd = ['../../evil', '/', '.', '', 'A', 'a', '夜', 'x'.repeat(500), '\0'];
    for (const userId of odd)
      await detent.memory.write([`of ${odd.indexOf(userId)}.`], { userId, to: 'long_term' });
    for (const userId of odd)
      expect((await detent.memory.get('memory/MEMORY.md', { userId })).text).toBe(
        `# Memory\n\n- of ${odd.indexOf(userId)}.`,
      );
    const folders = await readdir(join(workspace, '.detent/tenants/1/users'));
    expect(folders).toHaveLength(odd.length + 2);
    for (const folder of folders) expect(folder).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gets what a flush keeps of that user’s conversation', async () => {
    const model = talkative({ answer: (_, request) => ({ text: words(2_000, request.messages.length) }) });
    const { detent, workspace } = await scripted([], { models: { other: model } });
    const request = { sessionId: 's', model: 'other/moonshot-v1-8k', ...of('ada') };
    for (let n = 0; n < 20; n++) await detent.run(words(2_000, n), request).result;
    expect(model.requests.filter(isFlush).length).toBeGreaterThan(0);
    expect((await detent.memory.search('fact', { userId: 'ada' })).results).not.toEqual([]);
    expect((await detent.memory.search('fact')).results).toEqual([]);
    expect(await readdir(workspace)).not.toContain('memory');
  });
});
