import { describeThrown } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { schemaChecker, type ValueIssue } from '../../text/json-schema.ts';

export interface SchemaQuestion {
  schema: JsonObject;
  value: unknown;
}

/** `broken`: why the schema validates nothing. */
export type SchemaVerdict = { issues: ValueIssue[] } | { broken: string };

const issuesOf = schemaChecker();

/** Validates in the thread that calls it, however long that takes. */
export function verdictOf({ schema, value }: SchemaQuestion): SchemaVerdict {
  try {
    return { issues: issuesOf(schema, value) };
  } catch (error) {
    return { broken: describeThrown(error) };
  }
}
