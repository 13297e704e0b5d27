import type { CheckedOutput } from '../../ports/output-schema.ts';
import type { ToolSchema } from '../../ports/tool.ts';
import { describeThrown } from '../../protocol/describe-thrown.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { listed, type ValueIssue, validateStandard } from '../registry/issues.ts';
import { jsonSchemaIssues } from '../registry/json-schema.ts';
import { readJson } from './read-json.ts';

/**
 * Reads the JSON of an answer and validates it. Never throws.
 *
 * @param standard the schema that `schema` was printed from; without it `schema` itself decides
 * @param owner whose schema it is
 */
export async function checkOutput(
  schema: JsonObject,
  standard: ToolSchema<unknown> | null,
  text: string,
  owner: string,
): Promise<CheckedOutput> {
  const read = readJson(text);
  if ('problem' in read) return { fits: false, problems: `- ${read.problem}` };
  try {
    const issues = await issuesOf(schema, standard, read.value, owner);
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
  owner: string,
): Promise<readonly ValueIssue[]> {
  if (!standard) return jsonSchemaIssues(schema, value, owner);
  // The schema may change the value that it is given.
  const validated = await validateStandard(standard, structuredClone(value));
  return 'issues' in validated ? validated.issues : [];
}
