/** The worker thread that compares values with JSON Schemas. `json-schema.ts` starts it, and ends it when a comparison takes too long. */

import { parentPort } from 'node:worker_threads';
import { type SchemaQuestion, type SchemaVerdict, verdictOf } from './schema-verdict.ts';

/** The first message, `ready`, says that the thread has loaded. `workedMs`: the processor time that the thread has taken so far. */
export type SchemaAnswer = ({ ready: true } | SchemaVerdict) & { workedMs: number };

function say(said: { ready: true } | SchemaVerdict): void {
  const { user, system } = process.threadCpuUsage();
  const answer: SchemaAnswer = { ...said, workedMs: (user + system) / 1000 };
  parentPort?.postMessage(answer);
}

parentPort?.on('message', (question: SchemaQuestion) => say(verdictOf(question)));
say({ ready: true });
