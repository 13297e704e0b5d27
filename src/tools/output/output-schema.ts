import type { OutputSchema } from '../../ports/output-schema.ts';
import type { ToolSchema } from '../../ports/tool.ts';
import { describeThrown } from '../../protocol/describe-thrown.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import { printedJsonSchema } from '../registry/tool-spec.ts';
import { isDeeper } from './read-json.ts';
import { schemaProblem } from './schema-problem.ts';

/** Characters of a schema as JSON: it is in every model call of the run, and in the run's row. */
const maxChars = 65_536;
const maxLevels = 100;

/** The Standard Schema itself; null for a plain JSON Schema. */
export function standardSchema(schema: unknown): ToolSchema<unknown> | null {
  return typeof schema === 'object' && schema !== null && '~standard' in schema
    ? (schema as ToolSchema<unknown>)
    : null;
}

/**
 * An output schema as JSON Schema, as it is stored with the run and shown to the model. A copy: later changes to the
 * author's object have no effect.
 *
 * @param name whose schema it is, for the error: `output`, `agents.brief.output`
 * @throws DetentError `INVALID_OUTPUT_SCHEMA`
 */
export function outputJsonSchema(schema: OutputSchema, name = 'output'): JsonObject {
  const { $schema: _, ...copy } = copyOf(schema, name);
  const problem = schemaProblem(copy);
  if (problem !== null) throw invalid(name, problem);
  return copy;
}

function copyOf(schema: OutputSchema, name: string): JsonObject {
  const standard = standardSchema(schema);
  let text: string | undefined;
  try {
    text = JSON.stringify(standard ? printedJsonSchema(standard) : schema);
  } catch (error) {
    throw invalid(name, `it cannot be shown as JSON Schema (${describeThrown(error)})`, error);
  }
  if (text === undefined || text.length > maxChars)
    throw invalid(
      name,
      text === undefined
        ? 'a JSON Schema is an object'
        : `it has ${text.length} characters as JSON, and ${maxChars} is the maximum; describe less of it`,
    );
  const copy: unknown = JSON.parse(text);
  if (!isObject(copy)) throw invalid(name, 'a JSON Schema is an object');
  if (isDeeper(copy, maxLevels)) throw invalid(name, `it has more than ${maxLevels} levels; nest less`);
  return copy as JsonObject;
}

function invalid(name: string, why: string, cause?: unknown): DetentError {
  return new DetentError('INVALID_OUTPUT_SCHEMA', `${name} is not a usable schema: ${why}`, {
    details: { name },
    cause,
  });
}
