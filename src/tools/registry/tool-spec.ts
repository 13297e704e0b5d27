import { describeThrown } from '../../protocol/error.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { ToolSpec } from '../../protocol/ports.ts';
import { invalidTool, type Tool, type ToolSchema } from '../../protocol/tool.ts';

/**
 * The spec of a tool for the model: name, description and parameters as JSON Schema 2020-12 without `$schema`.
 * The schema is a copy, so that later changes to the author's object have no effect.
 *
 * @throws DetentError `INVALID_TOOL` when the schema cannot be printed or is not of type object.
 */
export function toolSpec(tool: Tool): ToolSpec {
  const { $schema, ...parameters } = copyOf(tool);
  if (parameters.type !== 'object')
    throw invalidTool(
      tool.name,
      'its parameters must be a JSON Schema of type object; wrap them in an object',
    );
  return { name: tool.name, description: tool.description, parameters };
}

function copyOf(tool: Tool): JsonObject {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(tool.jsonSchema ?? printedSchema(tool)));
  } catch (error) {
    throw invalidTool(
      tool.name,
      `its parameters cannot be shown as JSON Schema (${describeThrown(error)})`,
      error,
    );
  }
  if (!isObject(copy)) throw invalidTool(tool.name, 'its JSON Schema must be an object');
  return copy as JsonObject;
}

/** By schema: those of the built-in tools serve every Detent of the process. */
const printed = new WeakMap<ToolSchema<unknown>, Record<string, unknown>>();

function printedSchema({ parameters, name }: Tool): Record<string, unknown> {
  if (!parameters) throw invalidTool(name, 'it has no schema; give `parameters` or `jsonSchema`');
  const schema = printed.get(parameters) ?? printedJsonSchema(parameters);
  printed.set(parameters, schema);
  return schema;
}

/**
 * The JSON Schema (2020-12) of the values that a Standard Schema accepts.
 *
 * @throws TypeError when it cannot print itself, and what the schema throws for a type that JSON does not have.
 */
export function printedJsonSchema(schema: ToolSchema<unknown>): Record<string, unknown> {
  const printer = schema['~standard'].jsonSchema;
  if (!printer) throw new TypeError('it cannot print itself; use full zod, or a plain JSON Schema');
  return printer.input({ target: 'draft-2020-12' });
}
