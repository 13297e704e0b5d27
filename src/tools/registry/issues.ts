import { callForeign } from '../../engine/foreign-code.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import type { ValueIssue } from '../../text/json-schema.ts';
import { shortened } from '../../text/wording.ts';

/**
 * Validates a value by a plain JSON Schema (draft 2020-12), where there is no Standard Schema.
 *
 * @param owner who brought the schema.
 * @returns the innermost problems, without the outer errors that repeat them; empty = valid.
 * @throws when the schema itself is broken: an unresolved `$ref`, a bad pattern.
 */
export type SchemaCheck = (schema: JsonObject, value: unknown, owner: string) => Promise<ValueIssue[]>;

export type Validated = { value: unknown } | { issues: readonly ValueIssue[] };

const maxIssues = 10;
const maxIssueChars = 300;

/** Validates a value by a Standard Schema, which may transform it. Throws what the schema throws. */
export async function validateStandard(schema: ToolSchema<unknown>, value: unknown): Promise<Validated> {
  const result = await callForeign('a schema', () => schema['~standard'].validate(value));
  if (!result.issues) return { value: result.value };
  const issues = result.issues.map(({ message, path = [] }) => ({
    message,
    path: path.map((part) => (typeof part === 'object' ? part.key : part)),
  }));
  return { issues };
}

/** Issues as a list for the model: a line each, the first ten. */
export function listed(issues: readonly ValueIssue[]): string {
  const lines = issues.slice(0, maxIssues).map(({ path, message }) => {
    const text = shortened(message, maxIssueChars);
    return path.length > 0 ? `- ${pathText(path)}: ${text}` : `- ${text}`;
  });
  if (issues.length > maxIssues) lines.push(`- and ${issues.length - maxIssues} more`);
  return lines.join('\n');
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (/^\d+$/.test(String(part)) ? `[${String(part)}]` : `${i ? '.' : ''}${String(part)}`))
    .join('');
}
