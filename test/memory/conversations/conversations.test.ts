import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Conversations } from '../../../src/memory/conversations/conversations.ts';
import { IndexThread } from '../../../src/memory/index/index-client.ts';
import { openInMemory } from '../../../src/store/sql/in-memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { ask } from '../../support/ask.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { addTurn, type Turn, tenant } from './support.ts';

/** Runs that have ended, in sessions of their own. */
async function storeWith(turns: readonly Turn[]): Promise<Store> {
  const store = openInMemory();
  for (const turn of turns) await addTurn(store, turn);
  return store;
}

function searcher(store: Store) {
  const thread = new IndexThread();
  const conversations = new Conversations({ store, thread, indexFile: (of) => `:memory:${of}` });
  onTestFinished(() => thread.close());
  return async (...queries: string[]) => {
    const { results } = await conversations.search({ tenant, userId: null }, queries);
    return results.map(({ runId }) => runId);
  };
}

const heron = { sessionId: 'a', id: 'r1', user: 'I saw a heron.', assistant: 'Noted.' };
const walrus = { sessionId: 'b', id: 'r2', user: 'I saw a walrus.', assistant: 'Noted.' };

describe('what another process does', () => {
  it('is found when it adds something', async () => {
    const store = await storeWith([heron]);
    const find = searcher(store);
    expect(await find('walrus')).toEqual([]);
    await addTurn(store, walrus);
    expect(await find('walrus')).toEqual(['r2']);
  });

  it('is not found when it deletes something', async () => {
    const store = await storeWith([heron, walrus]);
    const find = searcher(store);
    expect(await find('heron')).toEqual(['r1']);
    await store.commit(function* () {
      yield* ask('deleteRunsOf', { session: 1 });
      yield* ask('deleteSession', { session: 1 });
    });
    expect(await find('heron')).toEqual([]);
    expect(await find('walrus')).toEqual(['r2']);
  });

  it('is told apart when a key of the database is given a second time', async () => {
    const store = await storeWith([heron, walrus]);
    const find = searcher(store);
    expect(await find('walrus')).toEqual(['r2']);
    await store.commit(function* () {
      yield* ask('deleteRunsOf', { session: 2 });
      yield* ask('deleteSession', { session: 2 });
    });
    await addTurn(store, { ...walrus, id: 'r9', user: 'I saw a lynx.' });
    expect(await find('walrus')).toEqual([]);
    expect(await find('lynx')).toEqual(['r9']);
  });
});

describe('a search that is closed while it is still feeding', () => {
  it('stops, and the next one feeds the rest', async () => {
    const turns = Array.from({ length: 400 }, (_, i) => ({
      sessionId: `s${i}`,
      id: `r${i}`,
      user: `Heron number ${i}.`,
      assistant: 'Noted.',
    }));
    const store = await storeWith(turns);
    const folder = await temporaryWorkspace();
    const open = () =>
      new Conversations({ store, thread: new IndexThread(), indexFile: () => join(folder, 'index.db') });
    const first = open();
    const searching = first.search({ tenant, userId: null }, ['heron']).catch(() => {});
    await first.close();
    await searching;
    const second = open();
    onTestFinished(() => second.close());
    expect(await second.search({ tenant, userId: null }, ['heron'])).toMatchObject({
      indexed: 400,
      pending: 0,
    });
  });
});

describe('what is said', () => {
  it.each([
    ['empty', ''],
    ['of blanks', ' \n\t '],
    ['of one long word', 'x'.repeat(300_000)],
    ['of many lines', 'gull\n'.repeat(20_000)],
    ['with other ends of lines', 'gull\r\nheron\rlynx\u2028badger'],
    ['with half a surrogate', 'gull \ud83d heron'],
    ['with NUL bytes', 'gull \0 heron'],
    ['that looks like Markdown', '```\n# gull\n<!-- run_a:1 -->\n- (untrusted) heron'],
  ])('%s is no trouble', async (_, text) => {
    const store = await storeWith([{ ...heron, assistant: text }, walrus]);
    const find = searcher(store);
    expect(await find('walrus')).toEqual(['r2']);
    expect(await find('heron')).toEqual(['r1']);
    if (text.includes('gull')) expect(await find('gull')).toEqual(['r1']);
  });

  it('is found far down in a long answer, with what stands around it', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `Line ${i} speaks of nothing much.`);
    lines[2_345] = 'The mast is made of spruce.';
    const store = await storeWith([{ ...heron, assistant: lines.join('\n') }]);
    const thread = new IndexThread();
    onTestFinished(() => thread.close());
    const conversations = new Conversations({ store, thread, indexFile: () => ':memory:' });
    const { results } = await conversations.search({ tenant, userId: null }, ['mast of spruce']);
    expect(results[0]?.snippet).toContain('spruce');
    expect(results[0]?.snippet.length).toBeLessThanOrEqual(700);
  });
});
