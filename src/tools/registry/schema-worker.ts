/** The worker thread that compares values with JSON Schemas. `json-schema.ts` starts it, and ends it when a comparison takes too long. */

import { parentPort } from 'node:worker_threads';
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { LRUCache } from 'lru-cache';
import { describeThrown } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ValueIssue } from './issues.ts';

export interface SchemaQuestion {
  schema: JsonObject;
  value: unknown;
}

type Verdict = { issues: ValueIssue[] } | { broken: string };

/** The first message, `ready`, says that the thread has loaded. `workedMs`: the processor time that the thread has taken so far. */
export type SchemaAnswer = ({ ready: true } | Verdict) & { workedMs: number };

/** Of one value: people and models read ten. */
const maxIssues = 1_000;

const validators = new LRUCache<string, Validator>({ max: 20 });

function issuesOf({ schema, value }: SchemaQuestion): ValueIssue[] {
  const key = JSON.stringify(schema);
  // The validator writes absolute URIs into its schema, which is a copy already.
  const validator = validators.get(key) ?? new Validator(schema, '2020-12', false);
  validators.set(key, validator);
  const { errors } = validator.validate(value);
  return innermost(errors).slice(0, maxIssues).map(toIssue);
}

/** "Property a does not match schema" says nothing once the reason inside `a` is listed too. */
function innermost(errors: readonly OutputUnit[]): OutputUnit[] {
  const outer = new Set<string>();
  for (const { keywordLocation } of errors)
    for (let end = keywordLocation.lastIndexOf('/'); end > 0; end = keywordLocation.lastIndexOf('/', end - 1))
      outer.add(keywordLocation.slice(0, end));
  return errors.filter(({ keyword, keywordLocation }) => keyword !== 'false' && !outer.has(keywordLocation));
}

function toIssue(error: OutputUnit): ValueIssue {
  const path = error.instanceLocation.split('/').slice(1).map(unescapePointer);
  return { path, message: error.error.replaceAll('Instance', 'Value') };
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

function say(said: { ready: true } | Verdict): void {
  const { user, system } = process.threadCpuUsage();
  const answer: SchemaAnswer = { ...said, workedMs: (user + system) / 1000 };
  parentPort?.postMessage(answer);
}

function verdictOf(question: SchemaQuestion): Verdict {
  try {
    return { issues: issuesOf(question) };
  } catch (error) {
    return { broken: describeThrown(error) };
  }
}

parentPort?.on('message', (question: SchemaQuestion) => say(verdictOf(question)));
say({ ready: true });
