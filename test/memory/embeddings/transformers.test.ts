import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embeddingsOf } from '../../../src/memory/embeddings/configured.ts';
import type { EmbeddingsOptions } from '../../../src/memory/embeddings/embeddings-options.ts';
import { IndexService } from '../../../src/memory/index/service.ts';
import { embed } from '../../../src/memory/index/vectors.ts';
import { bareWorkspace } from '../../support/cli.ts';
import { temporaryWorkspace } from '../../support/detent.ts';
import { writeFiles } from '../../support/files.ts';
import { describeWith } from '../../support/needs.ts';
import { ask, workspaceWith } from '../support.ts';
import { writeTinyModel } from './tiny-model.ts';

const hasPackage = (() => {
  try {
    createRequire(import.meta.url).resolve('@huggingface/transformers');
    return true;
  } catch {
    return false;
  }
})();

const subjects = ['heron', 'owl', 'hotel', 'spruce', 'ship', 'tea', 'violin', 'garden', 'letters', 'maps'];
const others = ['old', 'new', 'again', 'something', 'on', 'the', 'subject', 'of', '.'];
const meanings = {
  ...Object.fromEntries([...subjects, ...others].map((word) => [word, word])),
  vessel: 'ship',
};
const files = Object.fromEntries(
  subjects
    .flatMap((subject) => [subject, `${subject} again`, `old ${subject}`])
    .map((subject, n) => [`memory/${n}.md`, `Something on the subject of ${subject}.\n`]),
);

const never = new AbortController().signal;

function local(model: string, over: Record<string, unknown> = {}, workspace = '/'): EmbeddingsOptions {
  const options = embeddingsOf({ api: 'transformers', model, ...over }, {}, workspace);
  if (!options) throw new Error('no model');
  return options;
}

async function opened(embeddings: EmbeddingsOptions) {
  const folder = await workspaceWith(files);
  const service = new IndexService({ root: folder, file: join(folder, '.detent/memory.db'), embeddings });
  onTestFinished(() => service.close());
  return service;
}

describe('the name of a model that runs here', () => {
  it.each([
    ['./models/e5', '/home/ada/models/e5'],
    ['../e5', '/home/e5'],
    ['/models/e5', '/models/e5'],
    ['intfloat/multilingual-e5-small', null],
  ])('%s is a folder, or a name on the Hub', (model, folder) => {
    expect(local(model, {}, '/home/ada')).toMatchObject({ model, folder, isDownloading: false });
  });

  it('brings what its kind wants by default', () => {
    expect(local('a/b')).toMatchObject({
      pooling: 'mean',
      dtype: 'fp32',
      queryPrefix: '',
      documentPrefix: '',
    });
    expect(local('a/b', { pooling: 'cls', dtype: 'q8', download: true })).toMatchObject({
      pooling: 'cls',
      dtype: 'q8',
      isDownloading: true,
    });
  });
});

describe('a model that is not there', () => {
  it('is reported by the first search, which goes by words', async () => {
    const folder = join(await temporaryWorkspace(), 'none');
    const service = await opened(local(folder));
    const { mode, stale, reason, results } = await ask(service, 'heron');
    expect({ mode, stale }).toEqual({ mode: 'lexical', stale: true });
    expect(reason).toContain(`there is no model in ${folder}`);
    expect(results).toHaveLength(3);
    await expect(embed(local(folder), 'document', ['a'], never)).rejects.toMatchObject({
      code: 'EMBEDDINGS_MODEL_MISSING',
    });
  });
});

describeWith(
  !hasPackage,
  '@huggingface/transformers is installed',
  true,
)('a package that is not there', () => {
  it('is reported by the first search, with how to install it', async () => {
    const folder = await temporaryWorkspace();
    await writeTinyModel(folder, meanings);
    const service = await opened(local(folder));
    const { mode, reason, results } = await ask(service, 'heron');
    expect(mode).toBe('lexical');
    expect(reason).toContain('npm i @huggingface/transformers@4');
    expect(results).toHaveLength(3);
    await expect(embed(local(folder), 'query', ['a'], never)).rejects.toMatchObject({
      code: 'EMBEDDINGS_PACKAGE_MISSING',
    });
  });
});

describeWith(
  hasPackage,
  '@huggingface/transformers is not installed',
  true,
)('a model that runs here', () => {
  async function tiny(over: Record<string, unknown> = {}) {
    const folder = await temporaryWorkspace();
    await writeTinyModel(folder, meanings);
    return local(folder, over);
  }

  it('makes vectors of length 1, the same for a text whatever it comes with', async () => {
    const options = await tiny();
    const together = await embed(options, 'document', ['ship', 'the old garden of maps', ''], never);
    const [alone] = await embed(options, 'document', ['ship'], never);
    expect(together[0]).toEqual(alone);
    for (const vector of together) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(await embed(options, 'query', ['vessel'], never)).toEqual([alone]);
  });

  it.each([{ pooling: 'cls' }, { pooling: 'last_token' }, { dimensions: 16 }, { queryPrefix: 'the ' }])(
    'makes others with %j',
    async (over) => {
      const [usual] = await embed(await tiny(), 'query', ['ship'], never);
      const [other] = await embed(await tiny(over), 'query', ['ship'], never);
      expect(other).not.toEqual(usual);
      expect(Math.hypot(...(other ?? []))).toBeCloseTo(1, 5);
    },
  );

  it.each([
    [{ dtype: 'q8' }, 'EMBEDDINGS_MODEL_MISSING', /model_quantized\.onnx.*dtype/],
    [{ dimensions: 1_000 }, 'EMBEDDINGS_FAILED', /64 numbers, and not of 1000/],
  ])('says what is wrong with %j', async (over, code, message) => {
    const failed = await embed(await tiny(over), 'query', ['ship'], never).catch((error) => error);
    expect(failed).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('downloads no model by name, unless it may', async () => {
    const failed = await embed(local('nobody/none'), 'query', ['ship'], never).catch((error) => error);
    expect(failed).toMatchObject({ code: 'EMBEDDINGS_MODEL_MISSING' });
    expect(failed.message).toMatch(/not on this machine.*download/);
  });

  it('finds by its meaning what has no word of the query', async () => {
    const service = await opened(await tiny());
    await service.index(false);
    const { mode, reason, results } = await ask(service, 'vessel');
    expect({ mode, reason }).toEqual({ mode: 'hybrid', reason: null });
    expect(results[0]?.snippet).toContain('ship');
  });

  it('is used by the command line, in the thread of the index', async () => {
    const workspace = await bareWorkspace();
    const config = { memory: { embeddings: { api: 'transformers', model: './models/tiny' } } };
    await writeFiles(workspace.folder, { ...files, 'detent.config.json': JSON.stringify(config) });
    await writeTinyModel(workspace.path('models/tiny'), meanings);
    expect(await workspace.detent(['memory', 'index'])).toMatchObject({ code: 0, stderr: '' });
    const { view, stderr } = await workspace.json<{ mode: string; results: { snippet: string }[] }>([
      'memory',
      'search',
      'vessel',
    ]);
    expect({ mode: view.mode, stderr }).toEqual({ mode: 'hybrid', stderr: '' });
    expect(view.results[0]?.snippet).toContain('ship');
  });
});
