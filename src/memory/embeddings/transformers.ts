import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as aMoment } from 'node:timers/promises';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import type { LocalModelOptions } from './embeddings-options.ts';
import { noVectors, unitVector } from './unit-vector.ts';

/** Not a literal in `import()`, because the package is optional and the compiler must not resolve its types. */
const packageName: string = '@huggingface/transformers';
const install = 'npm i @huggingface/transformers@4';

/** The part of the package that is used here. */
interface Transformers {
  env: { allowRemoteModels: boolean; logLevel: number };
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { dtype: string; local_files_only: boolean },
  ): Promise<Extractor>;
}

type Extractor = (
  text: string,
  how: { pooling: LocalModelOptions['pooling']; normalize: boolean },
) => Promise<{ data: ArrayLike<number> }>;

/** The package's `LogLevel` for errors; its lower levels are hints for developers. */
const onlyErrors = 40;

/** Models that are loaded or being loaded, for all indexes of this thread. */
const loaded = new Map<string, Promise<Extractor>>();

/**
 * Vectors of texts, each of length 1, by a model that runs in this thread. Embeds texts one by one: so a vector does not
 * depend on the batch, and the thread can answer a search between two texts.
 *
 * @see https://huggingface.co/docs/transformers.js/api/pipelines#module_pipelines.FeatureExtractionPipeline
 * @throws DetentError `EMBEDDINGS_PACKAGE_MISSING`, `EMBEDDINGS_MODEL_MISSING`, `EMBEDDINGS_FAILED`.
 */
export async function embedHere(
  options: LocalModelOptions,
  kind: 'query' | 'document',
  input: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const work = vectorsOf(options, input, signal);
  if (kind === 'document') return work;
  const late = AbortSignal.timeout(options.timeoutMs);
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(noVectors(options.model, 'it is not ready yet'));
  late.addEventListener('abort', giveUp, { once: true });
  return Promise.race([work, promise]).finally(() => late.removeEventListener('abort', giveUp));
}

/** Why a model cannot be used on this machine; null when no reason is known. */
export async function whyUnusable(options: LocalModelOptions): Promise<string | null> {
  try {
    await packageFor(options);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function vectorsOf(
  options: LocalModelOptions,
  input: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const { model, pooling, dimensions } = options;
  const extract = await extractorFor(options);
  const vectors: Float32Array[] = [];
  for (const text of input) {
    signal.throwIfAborted();
    try {
      const { data } = await extract(text, { pooling, normalize: true });
      vectors.push(unitVector(cutTo(dimensions, Float32Array.from(data))));
    } catch (error) {
      throw noVectors(model, messageOf(error));
    }
    await aMoment();
  }
  return vectors;
}

/** Truncates a vector to the configured length, which models with several lengths support. */
function cutTo(dimensions: number | undefined, vector: Float32Array): Float32Array {
  if (dimensions === undefined) return vector;
  if (dimensions > vector.length)
    throw new Error(`it makes vectors of ${vector.length} numbers, and not of ${dimensions}`);
  return vector.subarray(0, dimensions);
}

function extractorFor(options: LocalModelOptions): Promise<Extractor> {
  const { model, folder, dtype, isDownloading } = options;
  const key = JSON.stringify([folder ?? model, dtype, isDownloading]);
  const known = loaded.get(key);
  if (known) return known;
  const loading = load(options);
  loaded.set(key, loading);
  // A missing model may be there at the next attempt.
  loading.catch(() => loaded.delete(key));
  return loading;
}

async function load(options: LocalModelOptions): Promise<Extractor> {
  const { model, folder, dtype, isDownloading } = options;
  const { env, pipeline } = await packageFor(options);
  const isRemote = folder === null && isDownloading;
  env.logLevel = onlyErrors;
  env.allowRemoteModels = isRemote;
  try {
    return await pipeline('feature-extraction', folder ?? model, { dtype, local_files_only: !isRemote });
  } catch (error) {
    const why = messageOf(error);
    const missing = /found locally at "([^"]+)"/.exec(why)?.[1];
    if (missing === undefined) throw noVectors(model, why);
    const help =
      folder === null
        ? `the model ${model} is not on this machine: name a folder that has it, or set memory.embeddings.download to true`
        : `there is no ${missing}; memory.embeddings.dtype says which file of a model is taken`;
    throw new DetentError('EMBEDDINGS_MODEL_MISSING', help, { cause: error });
  }
}

/** @throws DetentError `EMBEDDINGS_MODEL_MISSING`, `EMBEDDINGS_PACKAGE_MISSING`. */
async function packageFor({ folder }: LocalModelOptions): Promise<Transformers> {
  if (folder !== null && !existsSync(join(folder, 'config.json')))
    throw new DetentError(
      'EMBEDDINGS_MODEL_MISSING',
      `there is no model in ${folder}: that folder must have config.json, tokenizer.json and onnx/model.onnx`,
    );
  const found: unknown = await import(packageName).catch((error) => {
    const isMissing = isObject(error) && error.code === 'ERR_MODULE_NOT_FOUND';
    const why = isMissing ? `${packageName} is not installed` : `${packageName} cannot be loaded`;
    throw new DetentError(
      'EMBEDDINGS_PACKAGE_MISSING',
      `${why}: "${install}" (${messageOf(error).split('\n', 1)[0]})`,
      { cause: error },
    );
  });
  if (isTransformers(found)) return found;
  throw new DetentError('EMBEDDINGS_PACKAGE_MISSING', `${packageName} is of another version: "${install}"`);
}

function isTransformers(found: unknown): found is Transformers {
  return isObject(found) && typeof found.pipeline === 'function' && isObject(found.env);
}
