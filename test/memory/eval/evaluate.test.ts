import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embeddingsOf } from '../../../src/memory/embeddings/configured.ts';
import { evaluate } from '../../../src/memory/eval/evaluate.ts';
import { itDeep } from '../../support/deep.ts';
import type { Files } from '../../support/files.ts';
import { testEmbeddingServer } from '../embeddings/embedding-server.ts';
import { workspaceWith } from '../support.ts';

const question = (query: string, ...relevant: object[]) => JSON.stringify({ query, relevant });
const setOf = (files: Files, ...lines: string[]) =>
  workspaceWith({ ...files, 'queries.jsonl': lines.join('\n') });

const birds = {
  'notes/heron.md': 'The heron stands in the reed.\n',
  'notes/owl.md': '# Owl\n\nThe owl sleeps.\n\nIt hunts at night.\n',
};
const heron = { path: 'notes/heron.md' };

describe('questions', () => {
  it('may be written by any program', async () => {
    const folder = await setOf(
      birds,
      `\uFEFF${question('heron', heron)}\r`,
      '',
      '   \r',
      JSON.stringify({ id: 7, query: 'heron', relevant: [{ ...heron, line: null, grade: 3 }], lang: 'en' }),
      question('owl', { path: './notes/owl.md', line: 3 }),
      question('owl', { path: 'notes\\owl.md' }),
      question('owl', { path: 'notes/../notes//owl.md' }),
      '',
    );
    expect(await evaluate(folder)).toMatchObject({
      queries: 5,
      unjudged: 0,
      nowhere: 0,
      hitAt1: 1,
      ndcgAt10: 1,
    });
  });

  it('name each place once, however often they say it', async () => {
    const folder = await setOf(birds, question('heron', heron, heron, { path: './notes/heron.md' }));
    expect(await evaluate(folder)).toMatchObject({ recallAt5: 1, recallAt10: 1, ndcgAt10: 1 });
  });

  it('whose answers are nowhere count as missed, and are reported', async () => {
    const folder = await setOf(
      birds,
      question('heron', heron),
      question('heron', { path: 'none.md' }),
      question('owl', { path: 'notes/owl.md', line: 6 }),
      question('owl', { path: 'notes/owl.md', line: 5 }),
    );
    expect(await evaluate(folder)).toMatchObject({ queries: 4, nowhere: 2, hitAt5: 2 / 4 });
  });

  it.each(['0', '-1', '1.5', '"3"', '1e99', '[]'])('with the line %s are refused', async (line) => {
    const folder = await setOf(birds, `{"query":"owl","relevant":[{"path":"notes/owl.md","line":${line}}]}`);
    await expect(evaluate(folder)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('line 1,'),
    });
  });

  it('may be of nothing, of marks, and as long as they like', async () => {
    const folder = await setOf(
      birds,
      ...['', '   ', '"*?()', '\u0000', '\ud800', 'heron '.repeat(50_000)].map((query) =>
        question(query, heron),
      ),
    );
    expect(await evaluate(folder)).toMatchObject({ queries: 6, hitAt1: 1 / 6 });
  });
});

describe('a set', () => {
  it('may have files of any name and kind', async () => {
    const nfd = 'cafe\u0301 notes.md';
    const folder = await setOf(
      {
        ...birds,
        [nfd]: 'A cormorant on the pier.\n',
        'deep/a/b/c/d/e/f/with spaces (1) 苍鹭.markdown': 'Ein Kormoran.\n\n苍鹭站在芦苇里。\n',
        'empty.md': '',
        'blank.md': '\n\n \n',
        'broken.md': 'a\0b',
        '.hidden/x.md': 'a hidden heron\n',
      },
      question('cormorant', { path: nfd.normalize('NFC'), line: 1 }),
      question('苍鹭', { path: 'deep/a/b/c/d/e/f/with spaces (1) 苍鹭.markdown', line: 3 }),
    );
    await writeFile(join(folder, 'latin.md'), Buffer.from('Z\xfcrich and a puffin\n', 'latin1'));
    await writeFile(join(folder, 'queries.jsonl'), `\n${question('puffin', { path: 'latin.md' })}`, {
      flag: 'a',
    });
    const found = await evaluate(folder);
    expect(found).toMatchObject({ files: 8, queries: 3, nowhere: 0, hitAt1: 1 });
    expect(found.problems).toEqual([{ path: 'broken.md', problem: 'is not text (it has NUL bytes)' }]);
  });

  it('without any file is measured, too', async () => {
    const folder = await setOf({}, question('heron', heron));
    expect(await evaluate(folder)).toMatchObject({ files: 0, queries: 1, nowhere: 1, ndcgAt10: 0 });
  });

  it('with a folder of the name of the questions has none', async () => {
    const folder = await workspaceWith({ 'a.md': 'a\n' });
    await mkdir(join(folder, 'sub'));
    await expect(evaluate(folder)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(evaluate(join(folder, 'a.md'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  itDeep('says so when vectors that were asked for are not there', async () => {
    const folder = await setOf(birds, question('heron', heron));
    expect(await evaluate(folder)).toMatchObject({ mode: 'lexical', reason: null });
    const server = await testEmbeddingServer();
    const embeddings = embeddingsOf({ baseUrl: server.url, model: 'test' }, {});
    expect(await evaluate(folder, { embeddings })).toMatchObject({ mode: 'hybrid', reason: null });
    server.close();
    expect(await evaluate(folder, { embeddings })).toMatchObject({
      mode: 'lexical',
      reason: expect.stringContaining('no vectors from test'),
      hitAt1: 1,
    });
  });
});
