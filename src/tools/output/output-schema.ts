import { DetentError, describeThrown } from '../../protocol/error.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { CheckedOutput, OutputSchema } from '../../protocol/ports.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import type { ValueIssue } from '../../text/json-schema.ts';
import { listed, type SchemaCheck, validateStandard } from '../registry/issues.ts';
import { printedJsonSchema } from '../registry/tool-spec.ts';
import { isDeeper, readJson } from './read-json.ts';
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
  if (problem !== null) throw invalidSchema(name, problem);
  return copy;
}

function copyOf(schema: OutputSchema, name: string): JsonObject {
  const standard = standardSchema(schema);
  let text: string | undefined;
  try {
    text = JSON.stringify(standard ? printedJsonSchema(standard) : schema);
  } catch (error) {
    throw invalidSchema(name, `it cannot be shown as JSON Schema (${describeThrown(error)})`, error);
  }
  if (text === undefined || text.length > maxChars)
    throw invalidSchema(
      name,
      text === undefined
        ? 'a JSON Schema is an object'
        : `it has ${text.length} characters as JSON, and ${maxChars} is the maximum; describe less of it`,
    );
  const copy: unknown = JSON.parse(text);
  if (!isObject(copy)) throw invalidSchema(name, 'a JSON Schema is an object');
  if (isDeeper(copy, maxLevels)) throw invalidSchema(name, `it has more than ${maxLevels} levels; nest less`);
  return copy as JsonObject;
}

function invalidSchema(name: string, why: string, cause?: unknown): DetentError {
  return new DetentError('INVALID_OUTPUT_SCHEMA', `${name} is not a usable schema: ${why}`, {
    details: { name },
    cause,
  });
}

/**
 * What a schema object makes of a stored output: zod schemas may fill in defaults and transform. A plain JSON Schema leaves
 * it as it is.
 *
 * @throws DetentError `INVALID_OUTPUT` when the schema does not accept it any more.
 */
export async function typedOutput(schema: OutputSchema, value: unknown, runId: string): Promise<unknown> {
  const standard = standardSchema(schema);
  if (!standard) return value;
  const validated = await validateStandard(standard, structuredClone(value));
  if (!('issues' in validated)) return validated.value;
  throw new DetentError(
    'INVALID_OUTPUT',
    `the stored output of run ${runId} does not fit the schema of this call:\n${listed(validated.issues)}\nsee it with: detent runs show ${runId} --json`,
    { details: { runId } },
  );
}

/**
 * Reads the JSON of an answer and validates it. Never throws.
 *
 * @param standard the schema that `schema` was printed from; without it `schema` itself decides
 * @param plain validates by a plain JSON Schema, of this owner
 */
export async function checkOutput(
  schema: JsonObject,
  standard: ToolSchema<unknown> | null,
  text: string,
  plain: { owner: string; schemaIssues: SchemaCheck },
): Promise<CheckedOutput> {
  const read = readJson(text);
  if ('problem' in read) return { fits: false, problems: `- ${read.problem}` };
  try {
    const issues = await issuesOf(schema, standard, read.value, plain);
    return issues.length === 0
      ? { fits: true, value: read.value }
      : { fits: false, problems: listed(issues) };
  } catch (error) {
    return { fits: false, problems: `- the answer could not be validated (${describeThrown(error)})` };
  }
}

async function issuesOf(
  schema: JsonObject,
  standard: ToolSchema<unknown> | null,
  value: unknown,
  { owner, schemaIssues }: { owner: string; schemaIssues: SchemaCheck },
): Promise<readonly ValueIssue[]> {
  if (!standard) return schemaIssues(schema, value, owner);
  // The schema may change the value that it is given.
  const validated = await validateStandard(standard, structuredClone(value));
  return 'issues' in validated ? validated.issues : [];
}
