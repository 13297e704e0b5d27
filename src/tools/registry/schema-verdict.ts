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

/** `broken`: why the schema validates nothing. */
export type SchemaVerdict = { issues: ValueIssue[] } | { broken: string };

const validators = new LRUCache<string, Validator>({ max: 20 });

/** Validates in the thread that calls it, however long that takes. */
export function verdictOf({ schema, value }: SchemaQuestion): SchemaVerdict {
  try {
    return { issues: schemaIssues(schema, value, validators) };
  } catch (error) {
    return { broken: describeThrown(error) };
  }
}
