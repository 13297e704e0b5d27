import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Conversations } from '../../src/memory/conversations/conversations.ts';
import { IndexThread } from '../../src/memory/index/index-client.ts';
import { Memories } from '../../src/memory/memories.ts';
import { openInMemory } from '../../src/store/sql/in-memory.ts';
import { put, runInput, withRuns } from '../store/rows.ts';
import { temporaryWorkspace } from '../support/detent.ts';

const tenants = Array.from({ length: 70 }, (_, i) => i + 1);
const hasProc = process.platform === 'linux';
const threads = () => (hasProc ? readdirSync('/proc/self/task').length : 0);

describe('the indexes of a process', () => {
  it('live in one thread, and answer for everybody however many there are', async () => {
    const workspace = await temporaryWorkspace();
    const memories = new Memories({ isWatching: true, report() {} });
    onTestFinished(() => memories.close());
    const before = threads();
    for (const tenant of tenants) {
      const lines = [{ text: `The boat of ${tenant} is called Nereid${tenant}.`, isUntrusted: false }];
      await memories.write({ workspace, tenant, user: null }, lines, { at: 0, key: `run_a:${tenant}` });
    }
    for (const round of [1, 2])
      for (const tenant of tenants) {
        const { results, reason } = await memories.search({ workspace, tenant, user: null }, [
          'name of the boat',
        ]);
        expect([round, tenant, results.map(({ snippet }) => snippet), reason]).toEqual([
          round,
          tenant,
          [expect.stringContaining(`Nereid${tenant}.`)],
          null,
        ]);
      }
    // The thread itself, and a few that Node lends to all.
    expect(threads() - before).toBeLessThan(10);
  });

  it('are made again when those in memory were closed for others', async () => {
    const store = openInMemory();
    await withRuns(store);
    for (const tenant of tenants.slice(1)) {
      await put(store, 'insertTenant', { name: `t${tenant}`, workspace: null });
      const { pk: session } = await put(store, 'insertSession', { tenant, key: 's1', user: null, at: 1 });
      await put(store, 'insertRun', runInput({ tenant, session, id: `r${tenant}` }));
      const message = { session, run: tenant, tenant, seq: 1, i: 0, role: 'user' as const, at: 1 };
      await put(store, 'insertMessage', { ...message, body: JSON.stringify({ text: `Ahoy ${tenant}!` }) });
    }
    const thread = new IndexThread();
    const conversations = new Conversations({ store, thread, indexFile: (tenant) => `:memory:${tenant}` });
    onTestFinished(() => thread.close());
    for (const _ of [1, 2, 3])
      for (const tenant of tenants.slice(1)) {
        const { results } = await conversations.search({ tenant, userId: null }, ['ahoy']);
        expect(results.map(({ snippet }) => snippet)).toEqual([`user: Ahoy ${tenant}!`]);
      }
  });

  it('tell what is wrong with one, and go on with the others', async () => {
    const workspace = await temporaryWorkspace();
    const store = openInMemory();
    await withRuns(store);
    const thread = new IndexThread();
    onTestFinished(() => thread.close());
    const files = (tenant: number) =>
      tenant === 1 ? join(workspace, 'a-file', 'index.db') : join(workspace, 'index.db');
    writeFileSync(join(workspace, 'a-file'), '');
    const conversations = new Conversations({ store, thread, indexFile: files });
    await expect(conversations.search({ tenant: 1, userId: null }, ['a'])).rejects.toMatchObject({
      code: 'MEMORY_INDEX_FAILED',
    });
    expect(await conversations.search({ tenant: 2, userId: null }, ['a'])).toMatchObject({ results: [] });
  });
});
