/** The thread that keeps indexes and searches them. Started by the client beside this file. */

import { parentPort } from 'node:worker_threads';
import { DetentError, messageOf } from '../../protocol/error.ts';
import type { FedChange } from './feed.ts';
import { type IndexOptions, type IndexSearch, IndexService } from './service.ts';

/** What the thread is asked of one index; `end`: all are closed. */
export type IndexQuestion =
  | { ask: 'search'; search: IndexSearch }
  | { ask: 'status'; waitMs: number }
  | { ask: 'index'; isAnew: boolean }
  | { ask: 'known' }
  | { ask: 'feed'; change: FedChange }
  | { ask: 'close' }
  | { ask: 'end' };

/** Its answer; the number is that of the question. */
export type IndexAnswer = { n: number } & ({ value: unknown } | { error: { code: string; message: string } });

/** Each costs two handles of a file and its vectors; those that nobody has asked for the longest are closed. */
const maxOpen = 32;

interface Open {
  service: IndexService;
  asking: number;
}

/** By file; the one that was asked last is the last. */
const services = new Map<string, Open>();

function openedFor(index: IndexOptions): Open {
  const open = services.get(index.file) ?? { service: new IndexService(index), asking: 0 };
  services.delete(index.file);
  services.set(index.file, open);
  for (const [file, { service, asking }] of services) {
    if (services.size <= maxOpen) break;
    if (asking > 0 || service === open.service) continue;
    services.delete(file);
    service.close().catch(() => {});
  }
  return open;
}

async function answer(index: IndexOptions, question: IndexQuestion): Promise<unknown> {
  if (question.ask === 'end') {
    await Promise.all([...services.values()].map(({ service }) => service.close()));
    return;
  }
  if (question.ask === 'close') {
    const service = services.get(index.file)?.service;
    services.delete(index.file);
    return service?.close();
  }
  const open = openedFor(index);
  open.asking++;
  try {
    return await ask(open.service, question);
  } finally {
    open.asking--;
  }
}

function ask(
  service: IndexService,
  question: Exclude<IndexQuestion, { ask: 'close' | 'end' }>,
): Promise<unknown> {
  if (question.ask === 'search') return service.search(question.search);
  if (question.ask === 'status') return service.status(question.waitMs);
  if (question.ask === 'index') return service.index(question.isAnew);
  return question.ask === 'known' ? service.known() : service.feed(question.change);
}

parentPort?.on('message', ({ n, index, ...question }: IndexQuestion & { n: number; index: IndexOptions }) => {
  const say = (said: IndexAnswer) => parentPort?.postMessage(said);
  answer(index, question as IndexQuestion).then(
    (value) => say({ n, value }),
    (error) => {
      const code = DetentError.is(error) ? error.code : 'MEMORY_INDEX_FAILED';
      say({ n, error: { code, message: messageOf(error) } });
    },
  );
});
