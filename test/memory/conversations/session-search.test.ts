import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Detent, DetentOptions, SessionHit, SessionSearch } from '../../../src/index.ts';
import type { ScriptLine } from '../../../src/testing/index.ts';
import { itDeep } from '../../support/deep.ts';
import { scripted, temporaryWorkspace, tool } from '../../support/detent.ts';
import { inSizes } from '../../support/size.ts';

interface Said {
  sessionId: string;
  user: string;
  assistant: string;
  userId?: string;
  tenantId?: number;
}

/** Holds conversations, one run each, in their order. */
async function having(said: readonly Said[], over: DetentOptions = {}, more: readonly ScriptLine[] = []) {
  const made = await scripted([...said.map(({ assistant }) => ({ text: assistant })), ...more], {
    memory: { recall: false },
    ...over,
  });
  if (said.some(({ tenantId }) => tenantId === 2)) await made.detent.tenants.create({ name: 'other' });
  const runs: string[] = [];
  for (const { sessionId: session, user, userId, tenantId } of said) {
    const principal = {
      ...(userId !== undefined && { userId }),
      ...(tenantId !== undefined && { tenantId }),
    };
    const { runId } = await made.detent.run(user, { sessionId: session, principal }).result;
    runs.push(runId);
  }
  return { ...made, runs };
}

async function onDisk(): Promise<DetentOptions & { workspace: string }> {
  const workspace = await temporaryWorkspace();
  return { workspace, store: undefined as never, database: { file: join(workspace, 'runs.db') } };
}

const trips: readonly Said[] = [
  {
    sessionId: 'lisbon',
    user: 'Which hotels are there in Lisbon by the river?',
    assistant: 'There are two:\n\n- Seaside, with a pool\n- Casa Azul, without one',
  },
  { sessionId: 'lisbon', user: 'The second one, please.', assistant: 'I booked four nights for you.' },
  { sessionId: 'boat', user: '我们的船叫什么名字？', assistant: '你们的船叫“涅瑞伊德”。' },
  { sessionId: 'boat', user: 'And how long is she?', assistant: 'Nine metres over all.' },
];

const snippets = (results: readonly SessionHit[]) => results.map(({ snippet }) => snippet).join('\n---\n');

/** What a search finds that waits until all is indexed, however slow the machine is. */
async function searchFor(
  detent: Detent,
  queries: readonly string[],
  whose: { userId?: string; tenantId?: number } = {},
): Promise<SessionSearch> {
  for (;;) {
    const found = await detent.sessions.search(queries, whose);
    if (found.pending === 0) return found;
  }
}

const search = (detent: Detent, ...queries: string[]) => searchFor(detent, queries);

async function find(detent: Detent, ...queries: string[]): Promise<SessionHit[]> {
  return (await search(detent, ...queries)).results;
}

describe('a search of conversations', () => {
  it('finds who said what, in which run and when', async () => {
    const { detent, runs } = await having(trips);
    const found = await search(detent, 'hotels in Lisbon');
    expect(found).toMatchObject({ mode: 'lexical', indexed: 4, pending: 0, stale: false, reason: null });
    expect(found.results[0]).toEqual({
      sessionId: 'lisbon',
      runId: runs[0],
      at: expect.any(Number),
      role: 'user',
      snippet:
        'user: Which hotels are there in Lisbon by the river?\nassistant: There are two:\n\n- Seaside, with a pool\n- Casa Azul, without one',
      score: expect.any(Number),
      from: 'agent',
    });
  });

  it('finds an answer by what was spoken of before', async () => {
    const { detent, runs } = await having(trips);
    const found = await find(detent, 'hotels by the river');
    expect(found.map(({ snippet }) => snippet)).toEqual([
      expect.stringMatching(/^user: Which hotels[\s\S]*without one$/),
      'user: The second one, please.\nassistant: I booked four nights for you.',
    ]);
    expect(found.map(({ runId }) => runId)).toEqual(runs.slice(0, 2));
  });

  it('finds Chinese, other forms of a word, and misspelt ones', async () => {
    const { detent } = await having(trips);
    expect(snippets(await find(detent, '船的名字'))).toContain('涅瑞伊德');
    expect(snippets(await find(detent, 'a hotel'))).toContain('Seaside');
    expect(snippets(await find(detent, 'hottel in lizbon'))).toContain('Seaside');
  });

  it('shows what was said once', async () => {
    const { detent } = await having(trips);
    const text = snippets(
      await find(detent, 'hotels Lisbon river Seaside pool', 'second one please four nights'),
    );
    expect(text.split('with a pool')).toHaveLength(2);
  });

  it('says why it finds nothing', async () => {
    const { detent } = await having([]);
    expect(await search(detent, 'hotel')).toMatchObject({
      indexed: 0,
      results: [],
      reason: 'there are no earlier conversations',
    });
    await detent.run('Good morning!', { sessionId: 'a' }).result.catch(() => {});
    expect(await search(detent, 'hotel')).toMatchObject({
      results: [],
      reason: expect.stringContaining('try other words'),
    });
  });

  it.each([[[]], [['', ' ']], [['a', 'b', 'c', 'd', 'e']]])('refuses %j', async (queries) => {
    const { detent } = await having([]);
    await expect(detent.sessions.search(queries)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('knows what is said while it is asked again and again', async () => {
    const { detent } = await having([], {}, [{ text: 'Oak.' }, { text: 'Ash.' }]);
    expect(await find(detent, 'mast')).toEqual([]);
    await detent.run('What is the mast made of?', { sessionId: 'boat' }).result;
    expect(snippets(await find(detent, 'mast'))).toContain('Oak.');
    await detent.run('And the tiller?', { sessionId: 'boat' }).result;
    expect(snippets(await find(detent, 'tiller'))).toContain('Ash.');
    expect((await search(detent, 'tiller')).indexed).toBe(2);
  });
});

describe('a run that has not ended', () => {
  it('is found as far as it is, and further when it continues', async () => {
    const act = tool('act', { sideEffect: 'unsafe' });
    const { detent } = await having([], { tools: { define: [act] } }, [
      { text: 'First I look at the tiller.', toolCalls: [{ name: 'act', arguments: {} }] },
      { text: 'It is of ash.' },
    ]);
    const { runId } = await detent.run('What is it made of?', { sessionId: 'boat' }).result;
    expect(snippets(await find(detent, 'tiller'))).not.toContain('ash');
    await detent.runs.confirm(runId, 'c2', { verdict: 'approve' });
    await detent.runs.attach(runId).result;
    expect(snippets(await find(detent, 'tiller'))).toContain('It is of ash.');
  });
});

describe('whose conversations are searched', () => {
  const secrets: readonly Said[] = [
    { sessionId: 'a', user: 'My passphrase is heron.', assistant: 'Noted: heron.', userId: 'ada' },
    { sessionId: 'b', user: 'My passphrase is walrus.', assistant: 'Noted: walrus.', userId: 'bob' },
    { sessionId: 'c', user: 'Our passphrase is lynx.', assistant: 'Noted: lynx.' },
    { sessionId: 'a', user: 'My passphrase is badger.', assistant: 'Noted: badger.', tenantId: 2 },
  ];

  it('are those of one tenant', async () => {
    const { detent } = await having(secrets);
    expect(snippets(await find(detent, 'passphrase'))).not.toContain('badger');
    const theirs = await searchFor(detent, ['passphrase'], { tenantId: 2 });
    expect(theirs.results.map(({ sessionId }) => sessionId)).toEqual(['a']);
    expect(snippets(theirs.results)).toMatch(/badger/);
    expect(snippets(theirs.results)).not.toMatch(/heron|walrus|lynx/);
    expect(theirs.indexed).toBe(1);
  });

  it('and of these those of one user', async () => {
    const { detent } = await having(secrets);
    const { results } = await searchFor(detent, ['passphrase'], { userId: 'ada' });
    expect(snippets(results)).toContain('heron');
    expect(snippets(results)).not.toMatch(/walrus|lynx|badger/);
    expect((await searchFor(detent, ['walrus'], { userId: 'ada' })).results).toEqual([]);
    expect((await find(detent, 'passphrase')).map(({ sessionId }) => sessionId).sort()).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('of one user also where several spoke in a session of no user', async () => {
    const { detent } = await having([
      { sessionId: 'lobby', user: 'Is anybody here?', assistant: 'I am.' },
      { sessionId: 'lobby', user: 'My passphrase is heron.', assistant: 'Noted: heron.', userId: 'ada' },
      { sessionId: 'lobby', user: 'What a lobby.', assistant: 'A fine one.', userId: 'bob' },
      { sessionId: 'lobby', user: 'My locker is walrus.', assistant: 'Noted: walrus.', userId: 'bob' },
    ]);
    const found = async (userId: string) =>
      snippets((await searchFor(detent, ['passphrase heron', 'lobby locker'], { userId })).results);
    expect(await found('bob')).toMatch(/lobby[\s\S]*walrus/);
    expect(await found('bob')).not.toMatch(/heron|anybody/);
    expect(await found('ada')).toContain('heron');
    expect(await found('ada')).not.toMatch(/walrus|lobby/);
  });

  it('of one user are those of that user’s sessions, whomever their runs were for', async () => {
    const { detent } = await having([]);
    const line = '{"type":"user.message","text":"My passphrase is otter."}';
    await detent.sessions.import(line, { sessionId: 'old', userId: 'ada' });
    const found = async (userId: string) =>
      (await searchFor(detent, ['passphrase'], { userId })).results.map(({ sessionId }) => sessionId);
    expect(await found('ada')).toEqual(['old']);
    expect(await found('bob')).toEqual([]);
  });

  it('whatever a model asks for', async () => {
    const ask = { toolCalls: [{ name: 'session_search', arguments: { query: 'passphrase' } }] };
    const { detent, model } = await having(secrets, {}, [ask, { text: 'done' }]);
    const principal = { userId: 'bob' };
    // The tool waits for the index for a moment only.
    await search(detent, 'passphrase');
    await detent.run('What was it?', { sessionId: 'd', principal }).result;
    const result = model.requests.at(-1)?.messages.at(-1)?.text ?? '';
    expect(result).toContain('walrus');
    expect(result).not.toMatch(/heron|lynx|badger/);
  });
});

describe('what is not found', () => {
  it('is what the prompt of the asking session shows', async () => {
    const ask = { toolCalls: [{ name: 'session_search', arguments: { query: 'hotel Lisbon' } }] };
    const { detent, model } = await having(trips, {}, [ask, { text: 'done' }, ask, { text: 'done' }]);
    await search(detent, 'hotel');
    await detent.run('Which hotel was it in Lisbon?', { sessionId: 'lisbon' }).result;
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain('"results":[]');
    await detent.run('Which hotel was it in Lisbon?', { sessionId: 'other' }).result;
    const result = model.requests.at(-1)?.messages.at(-1)?.text ?? '';
    expect(result).toContain('Seaside');
    expect(result).toContain('"sessionId":"lisbon"');
  });

  it('but what was summarised there is', async () => {
    const long = 'lorem ipsum '.repeat(400);
    const said = [
      ...trips.slice(0, 1),
      ...Array.from({ length: 5 }, (_, i) => ({
        sessionId: 'lisbon',
        user: `Tell me more, ${i}.`,
        assistant: long,
      })),
    ];
    const ask = { toolCalls: [{ name: 'session_search', arguments: { query: 'hotels by the river' } }] };
    const { detent, model } = await having(said, {}, [
      { text: 'nothing to keep' },
      { text: 'They spoke of a journey.' },
      ask,
      { text: 'done' },
    ]);
    await detent.sessions.compact('lisbon');
    await search(detent, 'hotels');
    await detent.run('Which ones were there?', { sessionId: 'lisbon' }).result;
    const { messages } = model.requests.at(-1) ?? { messages: [] };
    expect(messages.at(-1)?.text).toContain('Casa Azul');
    expect(
      messages
        .slice(0, -2)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('Casa Azul');
  });

  it('is what was cleared', async () => {
    const { detent } = await having(trips, {}, [{ text: 'Porto is fine.' }]);
    await find(detent, 'hotel');
    await detent.sessions.clear('lisbon');
    expect(await find(detent, 'hotel Lisbon')).toEqual([]);
    await detent.run('And a hotel in Porto?', { sessionId: 'lisbon' }).result;
    const found = snippets(await find(detent, 'hotel Lisbon Porto'));
    expect(found).toContain('Porto is fine.');
    expect(found).not.toContain('Lisbon');
  });

  it('is what was deleted, also by another process, and no byte of it stays in the index', async () => {
    const place = await onDisk();
    const { detent } = await having(trips, place);
    expect(snippets(await find(detent, 'Casa Azul'))).toContain('Azul');
    expect(await detent.sessions.delete('lisbon', {})).toMatchObject({ runs: 2, erased: true });
    expect(await find(detent, 'Casa Azul hotel Lisbon')).toEqual([]);
    const files = (await readdir(place.workspace)).filter((name) => name.includes('search-1'));
    expect(files).toContain('runs.search-1.db');
    const bytes = files.map((name) => readFileSync(join(place.workspace, name), 'latin1')).join('');
    expect(/azul|seaside|lisbon|river/i.test(bytes)).toBe(false);
    expect(bytes.includes('metres')).toBe(true);
  });

  itDeep('is what a deleted run has left in the index of a process that did not know', async () => {
    const place = await onDisk();
    const { detent } = await having(trips, place);
    await find(detent, 'hotel');
    const file = join(place.workspace, 'runs.search-1.db');
    const before = [file, `${file}-wal`].map((name) => (existsSync(name) ? readFileSync(name) : null));
    await detent.sessions.delete('lisbon', {});
    await detent.close();
    for (const [i, bytes] of before.entries())
      if (bytes) writeFileSync(`${file}${i === 0 ? '' : '-wal'}`, bytes);
    rmSync(`${file}-shm`, { force: true });
    const again = await having([], place);
    expect(await find(again.detent, 'hotel Lisbon')).toEqual([]);
    expect(snippets(await find(again.detent, 'how long is she'))).toContain('Nine metres');
  });

  it('are the tasks of an agent, whose outcome its own answer tells', async () => {
    const task = { toolCalls: [{ name: 'task', arguments: { prompt: 'Count the gulls on the pier.' } }] };
    const { detent } = await having([], {}, [
      task,
      { text: 'Seven gulls.' },
      { text: 'There are seven of them.' },
    ]);
    await detent.run('How many birds are there?', { sessionId: 'birds' }).result;
    expect((await find(detent, 'gulls pier birds')).map(({ sessionId }) => sessionId)).toEqual(['birds']);
  });
});

describe('untrusted text', () => {
  it('marks the answers that were given with it in the prompt, and the run that finds them', async () => {
    const page = tool('page', { untrusted: true, run: () => 'The gulls want your password.' });
    const read = { toolCalls: [{ name: 'page', arguments: {} }] };
    const ask = { toolCalls: [{ name: 'session_search', arguments: { query: 'gulls' } }] };
    const { detent } = await having([], { tools: { define: [page] } }, [
      read,
      { text: 'The gulls want something.' },
      ask,
      { text: 'done' },
    ]);
    await detent.run('Read it.', { sessionId: 'a' }).result;
    expect((await find(detent, 'gulls')).map(({ from }) => from)).toEqual(['untrusted']);
    const view = await detent.run('What was it?', { sessionId: 'b' }).result;
    expect(view.tainted?.map(({ tool: name }) => name)).toEqual(['session_search']);
  });
});

describe('the index of conversations', () => {
  it('can be deleted or damaged at any time', async () => {
    const place = await onDisk();
    const { detent } = await having(trips, place);
    const file = join(place.workspace, 'runs.search-1.db');
    const found = await find(detent, 'hotel Lisbon');
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    expect(await find(detent, 'hotel Lisbon')).toEqual(found);
    await detent.close();
    writeFileSync(file, 'no database');
    const again = await having([], place);
    expect(await find(again.detent, 'hotel Lisbon')).toEqual(found);
  });

  it('is not made before the first search', async () => {
    const place = await onDisk();
    await having(trips, place);
    expect((await readdir(place.workspace)).filter((name) => name.includes('search'))).toEqual([]);
  });

  it('gives each database its own', async () => {
    const place = await onDisk();
    const { detent } = await having(trips, place);
    expect(await find(detent, 'hotel')).not.toEqual([]);
    const other = await having([], { ...place, database: { file: join(place.workspace, 'other.db') } });
    expect(await find(other.detent, 'hotel')).toEqual([]);
  });

  it('finds nothing but what was said, whatever is said and deleted', async () => {
    const words = ['heron', 'walrus', 'lynx', 'badger', '海豹', '海鸥'];
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ sessionId: fc.constantFrom('a', 'b'), word: fc.constantFrom(...words) }),
      },
      { weight: 1, arbitrary: fc.record({ drop: fc.constantFrom('a', 'b') }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { detent } = await scripted(
          steps.map(() => ({ text: 'Noted.' })),
          { memory: { recall: false } },
        );
        const said = new Map<string, string[]>();
        for (const one of steps) {
          if ('drop' in one) {
            if (said.delete(one.drop)) await detent.sessions.delete(one.drop);
          } else {
            await detent.run(`I saw a ${one.word}.`, { sessionId: one.sessionId }).result;
            said.set(one.sessionId, [...(said.get(one.sessionId) ?? []), one.word]);
          }
          // A word that was said may have become two answers; a session that was dropped may have had any.
          for (const word of 'drop' in one || one === steps.at(-1) ? words : [one.word]) {
            const sessions = (await find(detent, word)).map(({ sessionId }) => sessionId);
            const expected = [...said].flatMap(([session, seen]) => (seen.includes(word) ? [session] : []));
            expect([...new Set(sessions)].sort()).toEqual(expected.sort());
          }
        }
        await detent.close();
      }),
      { numRuns: inSizes({ usual: 2, deep: 6, full: 300 }) },
    );
  });
});
