import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { embeddingsOf } from '../../../src/memory/embeddings/configured.ts';
import { type Evaluation, evaluate, misspelt } from '../../../src/memory/eval/evaluate.ts';
import { afterwards } from '../../support/afterwards.ts';
import { describeWith } from '../../support/needs.ts';
import { inSizes } from '../../support/size.ts';
import { testEmbeddingServer } from '../embeddings/embedding-server.ts';
import { ask, holdsSnippet, indexOf, workspaceWith } from '../support.ts';

/** Question answering sets under CC BY-SA, which this repository does not hold. */
const shared = fileURLToPath(new URL('../../../../shared/fixtures/memory', import.meta.url));

/** Of so many questions of a set, one is asked. */
const oneOf = inSizes({ usual: 8, deep: 5, full: 1 });

/** A set with those questions. */
async function part(set: string): Promise<string> {
  if (oneOf === 1) return join(shared, set);
  const folder = await mkdtemp(join(tmpdir(), 'detent-quality-'));
  afterwards(() => rm(folder, { recursive: true }));
  const questions = (await readFile(join(shared, set, 'queries.jsonl'), 'utf8')).trim().split('\n');
  await writeFile(join(folder, 'queries.jsonl'), questions.filter((_, i) => i % oneOf === 0).join('\n'));
  await mkdir(join(folder, 'docs'));
  for (const name of await readdir(join(shared, set, 'docs')))
    await writeFile(join(folder, 'docs', name), await readFile(join(shared, set, 'docs', name)));
  return folder;
}

/** Each set is tried without a model once; several tests look at it. */
const tried = new Map<string, Promise<{ folder: string; words: Evaluation }>>();

function withoutModel(set: string): Promise<{ folder: string; words: Evaluation }> {
  const known =
    tried.get(set) ?? part(set).then(async (folder) => ({ folder, words: await evaluate(folder) }));
  tried.set(set, known);
  return known;
}

describeWith(
  existsSync(join(shared, 'xquad-en')),
  'retrieval on XQuAD and CMRC 2018, which are not here',
  true,
)('retrieval without a model', () => {
  const least = { 'xquad-en': 0.96, 'xquad-zh': 0.96, 'cmrc2018-zh': 0.98 };
  const all = Object.entries(least);

  it.each(inSizes({ usual: all.slice(0, 1), deep: all, full: all }))(
    'on %s has an nDCG@10 of at least %s',
    async (set, least) => {
      const { ndcgAt10, queries } = (await withoutModel(set)).words;
      expect(queries).toBeGreaterThan(450 / oneOf);
      expect(ndcgAt10).toBeGreaterThanOrEqual(least);
    },
  );

  it('finds what is asked for with the two longest words misspelt', async () => {
    const { folder, words: clean } = await withoutModel('xquad-en');
    const { recallAt5 } = await evaluate(folder, { change: misspelt });
    expect(clean.recallAt5).toBeGreaterThan(0.95);
    expect(recallAt5).toBeGreaterThan(0.95);
  });

  it.each([
    ['know hardly more than the letters', false],
    ['have nothing to do with their texts', true],
  ])('is not worse with vectors that %s', async (_, isRandom) => {
    const server = await testEmbeddingServer();
    server.isRandom = isRandom;
    const embeddings = embeddingsOf({ baseUrl: server.url, model: 'test' }, {});
    const both = ['xquad-en', 'xquad-zh'];
    for (const set of inSizes({ usual: ['xquad-en'], deep: both, full: both })) {
      const { folder, words } = await withoutModel(set);
      const hybrid = await evaluate(folder, { embeddings });
      expect(server.requests.length).toBeGreaterThan(450 / oneOf);
      expect(hybrid.ndcgAt10).toBeGreaterThanOrEqual(words.ndcgAt10 - 0.005);
    }
  });

  it('shows what stands on the lines that it names', async () => {
    const two = ['xquad-en', 'cmrc2018-zh'];
    for (const set of inSizes({ usual: two.slice(0, 1), deep: two, full: two })) {
      const { folder } = await withoutModel(set);
      const service = indexOf(folder, { tree: 'all' });
      const questions = (await readFile(join(folder, 'queries.jsonl'), 'utf8')).trim().split('\n');
      for (const line of questions.slice(0, 60)) {
        const { query } = JSON.parse(line) as { query: string };
        for (const hit of (await ask(service, query)).results)
          expect(await holdsSnippet(folder, hit)).toBe(true);
      }
    }
  });
});

describe('a diary', () => {
  const sets = new URL('../../fixtures/memory/', import.meta.url);

  it.each(['memorybank-en', 'memorybank-zh'])(
    '%s: nearly every question finds its day first',
    async (set) => {
      const { queries, hitAt1, recallAt5 } = await evaluate(fileURLToPath(new URL(set, sets)));
      expect(queries).toBeGreaterThan(10);
      expect(recallAt5).toBe(1);
      expect(hitAt1).toBeGreaterThanOrEqual(0.95);
      const typos = await evaluate(fileURLToPath(new URL(set, sets)), { change: misspelt });
      expect(typos.recallAt5).toBeGreaterThanOrEqual(0.7);
    },
  );
});

describe('an evaluation', () => {
  const tree = {
    'a.md': 'The heron stands in the reed.\n\nThe owl sleeps.\n',
    'deep/b.md': 'The mast is made of spruce.\n',
  };
  const asking = (...questions: object[]) => ({
    ...tree,
    'queries.jsonl': questions.map((question) => JSON.stringify(question)).join('\n'),
  });

  it('counts what is found at which rank', async () => {
    const folder = await workspaceWith(
      asking(
        { query: 'spruce mast', relevant: [{ path: 'deep/b.md' }] },
        { query: 'owl', relevant: [{ path: 'a.md', line: 3 }] },
        { query: 'zebra', relevant: [{ path: 'a.md' }] },
        { query: 'heron', relevant: [{ path: 'a.md' }, { path: 'deep/b.md' }] },
        { query: 'nobody knows', relevant: [] },
      ),
    );
    const found = await evaluate(folder);
    expect(found).toMatchObject({
      trees: 1,
      files: 2,
      queries: 4,
      unjudged: 1,
      hitAt1: 3 / 4,
      recallAt5: 2.5 / 4,
    });
    const second = 1 / (1 + 1 / Math.log2(3));
    expect(found.ndcgAt10).toBeCloseTo((1 + 1 + 0 + second) / 4, 6);
    expect((await readdir(folder)).sort()).toEqual(['a.md', 'deep', 'queries.jsonl']);
  });

  it('is of all folders with questions in one', async () => {
    const question = { query: 'spruce', relevant: [{ path: 'deep/b.md' }] };
    const inner = Object.entries(asking(question)).flatMap(([path, text]) => [
      [`one/${path}`, text],
      [`two/${path}`, text],
    ]);
    expect(await evaluate(await workspaceWith(Object.fromEntries(inner)))).toMatchObject({
      trees: 2,
      queries: 2,
      hitAt1: 1,
    });
  });

  it.each([
    [{}, 'NOT_FOUND'],
    [{ 'queries.jsonl': '{"query": "a"}' }, 'INVALID_ARGUMENTS'],
    [{ 'queries.jsonl': 'no json' }, 'INVALID_ARGUMENTS'],
    [{ 'queries.jsonl': '{"query": "a", "relevant": [{"path": 1}]}' }, 'INVALID_ARGUMENTS'],
  ])('of %j is refused as %s', async (files, code) => {
    await expect(evaluate(await workspaceWith(files))).rejects.toMatchObject({ code });
  });
});
