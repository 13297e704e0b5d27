/** The thread that keeps one index and searches it. Started by the client beside this file. */

import { parentPort, workerData } from 'node:worker_threads';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { type IndexOptions, type IndexSearch, IndexService } from './service.ts';

/** What the thread is asked. */
export type IndexQuestion =
  | { ask: 'search'; search: IndexSearch }
  | { ask: 'status'; waitMs: number }
  | { ask: 'index'; isAnew: boolean }
  | { ask: 'close' };

/** Its answer; the number is that of the question. */
export type IndexAnswer = { n: number } & ({ value: unknown } | { error: { code: string; message: string } });

const service = new IndexService(workerData as IndexOptions);

async function answer(question: IndexQuestion): Promise<unknown> {
  if (question.ask === 'search') return service.search(question.search);
  if (question.ask === 'status') return service.status(question.waitMs);
  if (question.ask === 'index') return service.index(question.isAnew);
  return service.close();
}

parentPort?.on('message', ({ n, ...question }: IndexQuestion & { n: number }) => {
  const say = (said: IndexAnswer) => parentPort?.postMessage(said);
  answer(question as IndexQuestion).then(
    (value) => say({ n, value }),
    (error) => {
      const code = DetentError.is(error) ? error.code : 'MEMORY_INDEX_FAILED';
      say({ n, error: { code, message: messageOf(error) } });
    },
  );
});
