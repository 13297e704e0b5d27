/** The worker thread that compares values with JSON Schemas. `json-schema.ts` starts it, and ends it when a comparison takes too long. */

import { parentPort } from 'node:worker_threads';
import type { Validator } from '@cfworker/json-schema';
import { LRUCache } from 'lru-cache';
import { describeThrown } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ValueIssue } from './issues.ts';
import { schemaIssues } from './schema-issues.ts';

export interface SchemaQuestion {
  schema: JsonObject;
  value: unknown;
}

type Verdict = { issues: ValueIssue[] } | { broken: string };

/** The first message, `ready`, says that the thread has loaded. `workedMs`: the processor time that the thread has taken so far. */
export type SchemaAnswer = ({ ready: true } | Verdict) & { workedMs: number };

const validators = new LRUCache<string, Validator>({ max: 20 });

function say(said: { ready: true } | Verdict): void {
  const { user, system } = process.threadCpuUsage();
  const answer: SchemaAnswer = { ...said, workedMs: (user + system) / 1000 };
  parentPort?.postMessage(answer);
}

function verdictOf(question: SchemaQuestion): Verdict {
  try {
    return { issues: schemaIssues(question.schema, question.value, validators) };
  } catch (error) {
    return { broken: describeThrown(error) };
  }
}

parentPort?.on('message', (question: SchemaQuestion) => say(verdictOf(question)));
say({ ready: true });
