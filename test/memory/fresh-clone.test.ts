import { cp, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDetent, type Detent } from '../../src/index.ts';
import { temporaryWorkspace } from '../support/detent.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a clone has in `memory/`, asked by the first conversation with the model that needs no key. */
describe('the memory of a fresh clone', () => {
  async function firstConversation(): Promise<Detent> {
    const workspace = await temporaryWorkspace();
    const isCommitted = (path: string) => !/20[^/]*\.md$/.test(basename(path));
    await cp(join(root, 'memory'), join(workspace, 'memory'), { recursive: true, filter: isCommitted });
    const detent = createDetent({ workspace, store: 'in-process', model: 'demo/demo', env: {} });
    onTestFinished(() => detent.close());
    return detent;
  }

  it.each([
    ['what do you remember about Detent?', 'memory/MEMORY.md:1-8', 'durable XState statecharts'],
    ['关于 Detent 你记得什么？', 'memory/MEMORY.md:1-8', 'durable XState statecharts'],
    ['what can I try with Detent?', 'memory/what-to-try.md:1-', 'calls the calculator'],
    ['how does Detent resume a run after a crash?', 'memory/how-runs-work.md', 'detent runs resume RUN'],
    ['what does Detent do when a tool needs a confirmation?', 'memory/how-runs-work.md', '--approve'],
  ])('answers: %s', async (prompt, place, words) => {
    const detent = await firstConversation();
    const { status, text } = await detent.run(prompt).result;
    expect(status).toBe('done');
    expect(text.split('\n').find((line) => line.startsWith('memory/'))).toContain(place);
    expect(text).toContain(words);
  });

  it('does not disturb the demo, though every run is reminded of it', async () => {
    const detent = await firstConversation();
    const { text } = await detent.run('hello').result;
    expect(text).toContain('Hello!');
    expect((await detent.run('what is 2+3').result).text).toMatch(/^2\+3 = 5$/m);
  });

  it('takes new lines, in files that Git ignores', async () => {
    const detent = await firstConversation();
    const { text } = await detent.run('remember that my name is Ada').result;
    const path = /memory\/20\d\d-\d\d-\d\d\.md/.exec(text)?.[0];
    expect(path).toBeDefined();
    expect((await readFile(join(root, '.gitignore'), 'utf8')).split('\n')).toContain('memory/20*.md');
    expect((await detent.run('what do you remember about Ada?').result).text).toContain('my name is Ada');
  });
});
