import type { ToolSpec } from '../../ports/chat-model.ts';
import { isObject, type JsonObject } from '../../protocol/json.ts';

export function wireTool({ name, description, parameters }: ToolSpec): JsonObject {
  return { name, ...(description !== '' && { description }), input_schema: inputSchema(parameters) };
}

/**
 * The wire refuses `oneOf`, `anyOf` and `allOf` at the top of a schema. The properties of their branches are offered all
 * the same, and none is required: the tool checks its arguments itself.
 */
function inputSchema(parameters: JsonObject): JsonObject {
  const { oneOf, anyOf, allOf, ...rest } = parameters;
  const branches = [oneOf, anyOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const offered = [...branches, rest].flatMap((branch) =>
    isObject(branch) && isObject(branch.properties) ? [branch.properties] : [],
  );
  const properties = Object.assign({}, ...offered) as JsonObject;
  return { ...rest, type: 'object', properties };
}
