import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EmbeddingServerOptions } from '../../../src/memory/embeddings/embeddings-options.ts';
import { VectorMatrix } from '../../../src/memory/embeddings/matrix.ts';
import { IndexService } from '../../../src/memory/index/service.ts';
import { embed } from '../../../src/memory/index/vectors.ts';
import { someOf } from '../../support/deep.ts';
import { ask, workspaceWith } from '../support.ts';
import { type EmbeddingServer, testEmbeddingServer } from './embedding-server.ts';

/** Enough for one thing to stand out. */
const files = Object.fromEntries(
  [
    'heron',
    'owl',
    'lisbon hotel',
    'spruce mast',
    'ship in the harbour',
    'tea',
    'violin',
    'garden',
    'letters',
    'maps',
  ]
    .flatMap((subject) => [subject, `${subject} again`, `old ${subject}`])
    .map((subject, n) => [`memory/${n}.md`, `Something on the subject of ${subject}.\n`]),
);

const optionsFor = (
  server: EmbeddingServer,
  over: Partial<EmbeddingServerOptions> = {},
): EmbeddingServerOptions => ({
  api: 'openai',
  baseUrl: server.url,
  model: 'test',
  queryPrefix: '',
  documentPrefix: '',
  timeoutMs: 2_000,
  ...over,
});

async function opened(
  over: { embeddings?: Partial<EmbeddingServerOptions>; folder?: string; server?: EmbeddingServer } = {},
) {
  const server = over.server ?? (await testEmbeddingServer());
  const folder = over.folder ?? (await workspaceWith(files));
  const service = new IndexService({
    root: folder,
    tree: 'memory',
    file: join(folder, '.detent/memory.db'),
    isWatching: false,
    embeddings: optionsFor(server, over.embeddings),
  });
  onTestFinished(() => service.close());
  return { server, folder, service };
}

const never = new AbortController().signal;

describe('a model of vectors', () => {
  it.each(['openai', 'ollama'] as const)(
    'is asked by the wire of %s, and its vectors have length 1',
    async (api) => {
      const server = await testEmbeddingServer();
      const vectors = await embed(optionsFor(server, { api }), 'document', ['a heron', 'an owl'], never);
      const alone = await embed(optionsFor(server, { api }), 'document', ['an owl'], never);
      expect(vectors).toHaveLength(2);
      expect(vectors[1]).toEqual(alone[0]);
      for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    },
  );

  it('may answer with lists of numbers, whatever it was asked for', async () => {
    const server = await testEmbeddingServer();
    const bytes = await embed(optionsFor(server), 'query', ['a heron'], never);
    server.isPlain = true;
    const [numbers = new Float32Array()] = await embed(optionsFor(server), 'query', ['a heron'], never);
    for (const [i, value] of (bytes[0] ?? []).entries()) expect(numbers[i]).toBeCloseTo(value, 5);
  });

  it('is given its prefixes', async () => {
    const server = await testEmbeddingServer();
    const options = optionsFor(server, { queryPrefix: 'query: ', documentPrefix: 'passage: ' });
    await embed(options, 'query', ['a'], never);
    await embed(options, 'document', ['b'], never);
    expect(server.requests).toEqual([['query: a'], ['passage: b']]);
  });

  it('is asked again when it is busy', async () => {
    const server = await testEmbeddingServer();
    server.next.push({ status: 429, headers: { 'retry-after': '0' }, body: '{}' });
    expect(await embed(optionsFor(server), 'document', ['a'], never)).toHaveLength(1);
  });

  it.each([
    ['a refusal', { status: 401, body: 'no such key' }, /HTTP 401: no such key/],
    ['no JSON', { status: 200, body: '<html>' }, /./],
    ['too few vectors', { status: 200, body: '{"data":[]}' }, /0 vectors for 2 texts/],
    ['vectors of two lengths', { status: 200, body: '{"embeddings":[[1],[1,2]]}' }, /equally long/],
    ['a vector of nothing', { status: 200, body: '{"embeddings":[[0,0],[1,2]]}' }, /direction/],
    ['words for numbers', { status: 200, body: '{"embeddings":[["a"],["b"]]}' }, /direction/],
  ])('that answers with %s has failed', async (_, answer, why) => {
    const server = await testEmbeddingServer();
    server.next.push(answer);
    const failed = await embed(optionsFor(server), 'document', ['a', 'b'], never).catch((error) => error);
    expect(failed).toMatchObject({ code: 'EMBEDDINGS_FAILED', message: expect.stringMatching(why) });
  });

  it('that does not answer in time has failed', async () => {
    const server = await testEmbeddingServer();
    server.next.push('silence');
    const failed = embed(optionsFor(server, { timeoutMs: 50 }), 'query', ['a'], never);
    await expect(failed).rejects.toMatchObject({ code: 'EMBEDDINGS_FAILED' });
  });
});

describe('the nearest vectors', () => {
  it('are those of the greatest cosine, best first', () => {
    const value = fc.float({ min: -1, max: 1, noNaN: true });
    const vector = fc.array(value, { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(vector, { minLength: 1, maxLength: 200 }), vector, (vectors, query) => {
        const matrix = new VectorMatrix(7);
        for (const [i, each] of vectors.entries()) matrix.add(`${i}`, Float32Array.from(each));
        const cosine = (each: readonly number[]) => each.reduce((sum, x, i) => sum + x * (query[i] ?? 0), 0);
        const found = matrix.nearest(Float32Array.from(query), 10);
        expect(found.length).toBeLessThanOrEqual(10);
        const cosines = found.map(({ hash }) => cosine(vectors[Number(hash)] ?? []));
        const best = vectors.map(cosine).sort((a, b) => b - a);
        for (const [i, each] of cosines.entries()) expect(each).toBeCloseTo(best[i] ?? 0, 4);
        for (const { score } of found) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it.each(someOf([29, 384], 1))('of %i numbers are found among more than stand in one block', (dims) => {
    let seed = dims;
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 2 ** 31 - 1;
    };
    const vectors = Array.from({ length: 1_300 }, () => {
      const vector = Float32Array.from({ length: dims }, random);
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    });
    const matrix = new VectorMatrix(dims);
    for (const [i, each] of vectors.entries()) matrix.add(`${i}`, each);
    for (const [i, each] of vectors.entries()) expect(matrix.nearest(each, 5)[0]?.hash).toBe(`${i}`);
  });

  it('hardly count when none stands out', () => {
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 2 ** 31 - 1;
    };
    const matrix = new VectorMatrix(256);
    const vector = () => Float32Array.from({ length: 256 }, random);
    for (let i = 0; i < 2_000; i++) matrix.add(`${i}`, vector());
    const scores = Array.from({ length: 50 }, () => matrix.nearest(vector(), 1)[0]?.score ?? 0);
    expect(scores.reduce((sum, score) => sum + score, 0) / 50).toBeLessThan(0.15);
  });
});

describe('a search with vectors', () => {
  it('finds by its meaning what has no word of the query', async () => {
    const { service } = await opened();
    await service.index(false);
    const { mode, results, reason } = await ask(service, 'vessel');
    expect({ mode, reason }).toEqual({ mode: 'hybrid', reason: null });
    expect(results[0]?.snippet).toContain('ship');
  });

  it('answers by words, and says so, until there are vectors', async () => {
    const { service, server } = await opened();
    server.next.push('silence');
    const { mode, stale, reason, results } = await ask(service, 'heron');
    expect({ mode, stale }).toEqual({ mode: 'lexical', stale: true });
    expect(reason).toMatch(/no vectors yet/);
    expect(results).toHaveLength(3);
  });

  it('answers by words, and says why, when the server fails', async () => {
    const { service, server } = await opened();
    await service.index(false);
    server.close();
    const { mode, reason, results } = await ask(service, 'heron');
    expect({ mode, reason }).toEqual({
      mode: 'lexical',
      reason: expect.stringContaining('no vectors from test'),
    });
    expect(results).toHaveLength(3);
  });

  it('makes vectors of what is new, once', async () => {
    const { service, server, folder } = await opened();
    await service.index(false);
    await appendFile(join(folder, 'memory/0.md'), 'And of a schooner.\n');
    await service.index(false);
    expect(server.requests.map((texts) => texts.length)).toEqual([30, 1]);
    const other = await opened({ folder, server });
    await other.service.index(false);
    expect(server.requests).toHaveLength(2);
  });

  it('uses none that another model made, until the index is made anew', async () => {
    const { service, server, folder } = await opened();
    await service.index(false);
    await service.close();
    server.dims = 128;
    const second = await opened({ folder, server, embeddings: { model: 'other' } });
    const asked = server.requests.length;
    const paused = await ask(second.service, 'vessel');
    expect(paused).toMatchObject({
      mode: 'lexical',
      reason: expect.stringMatching(/another model.*--rebuild/),
    });
    expect(server.requests).toHaveLength(asked);
    await second.service.index(true);
    expect(await ask(second.service, 'vessel')).toMatchObject({ mode: 'hybrid', reason: null });
  });

  it('says so when a model makes vectors of another length all at once', async () => {
    const { service, server, folder } = await opened();
    await service.index(false);
    server.dims = 128;
    expect(await ask(service, 'vessel')).toMatchObject({
      mode: 'lexical',
      reason: expect.stringMatching(/128 numbers, not 256/),
    });
    await appendFile(join(folder, 'memory/0.md'), 'And of a schooner.\n');
    await service.index(false);
    await vi.waitFor(
      async () => {
        expect((await ask(service, 'owl')).reason).toMatch(
          /256 numbers, and now of 128|128 numbers, not 256/,
        );
      },
      { timeout: 60_000 },
    );
  });
});
