/** The worker thread that updates and searches indexes. `index-client.ts` starts it. */

import { parentPort } from 'node:worker_threads';
import { DetentError, messageOf } from '../../protocol/error.ts';
import { type OpenDatabase, openDatabases } from '../../text/files.ts';
import type { FedChange } from './feed.ts';
import { type IndexOptions, type IndexSearch, IndexService } from './service.ts';

/** A question about one index; `end` closes all of them. */
export type IndexQuestion =
  | { ask: 'search'; search: IndexSearch }
  | { ask: 'status'; waitMs: number }
  | { ask: 'index'; isAnew: boolean }
  | { ask: 'known' }
  | { ask: 'feed'; change: FedChange }
  | { ask: 'close' }
  | { ask: 'end' };

/** The answer to question `n`. */
export type IndexAnswer = { n: number } & ({ value: unknown } | { error: { code: string; message: string } });

/** Maximum open indexes. Each costs two file handles and its vectors; the least recently used ones are closed. */
const maxOpen = 32;

interface Open {
  service: IndexService;
  asking: number;
}

/** By file, in order of use, the most recent last. */
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

/** A question as it is sent, with the databases that the process has open. */
type SentQuestion = IndexQuestion & { n: number; index: IndexOptions; databases: ReadonlySet<OpenDatabase> };

parentPort?.on('message', ({ n, index, databases, ...question }: SentQuestion) => {
  openDatabases().clear();
  for (const database of databases) openDatabases().add(database);
  const say = (said: IndexAnswer) => parentPort?.postMessage(said);
  answer(index, question as IndexQuestion).then(
    (value) => say({ n, value }),
    (error) => {
      const code = DetentError.is(error) ? error.code : 'MEMORY_INDEX_FAILED';
      say({ n, error: { code, message: messageOf(error) } });
    },
  );
});
