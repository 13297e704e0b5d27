import { describeThrown } from '../../protocol/error.ts';
import { isNestedTooDeep, isObject, type JsonObject, maxNesting } from '../../protocol/json.ts';
import { listed, type SchemaCheck, type Validated, validateStandard } from '../registry/issues.ts';
import type { RegisteredTool } from '../registry/registry.ts';

/** Validated arguments, or a text from which the model can correct its call. */
type CheckedArguments = { ok: true; args: unknown } | { ok: false; text: string };

const maxRequiredChars = 300;

/** Parses and validates the arguments that a model wrote; an empty string means `{}`. Never throws. */
export async function checkArguments(
  entry: RegisteredTool,
  raw: string,
  schemaIssues: SchemaCheck,
): Promise<CheckedArguments> {
  const { tool, spec } = entry;
  const refuse = (reason: string): CheckedArguments => ({
    ok: false,
    text: `Invalid arguments for ${tool.name}:${reason}${requiredHint(spec.parameters)}`,
  });
  if (isNestedTooDeep(raw))
    return refuse(` nested more than ${maxNesting} levels deep. Send flatter arguments.`);
  let value: unknown;
  try {
    value = raw.trim() === '' ? {} : JSON.parse(raw);
  } catch (error) {
    return refuse(` not valid JSON (${describeThrown(error)}). Send one complete JSON object.`);
  }
  if (!isObject(value)) return refuse(` expected a JSON object, got ${typeWords(value)}.`);
  try {
    const checked = await validate(entry, value, schemaIssues);
    return 'issues' in checked ? refuse(`\n${listed(checked.issues)}`) : { ok: true, args: checked.value };
  } catch (error) {
    return refuse(` they could not be checked (${describeThrown(error)}).`);
  }
}

async function validate(
  { tool, spec }: RegisteredTool,
  value: unknown,
  schemaIssues: SchemaCheck,
): Promise<Validated> {
  if (tool.parameters) return await validateStandard(tool.parameters, value);
  const issues = await schemaIssues(spec.parameters, value, `tool ${tool.name}`);
  return issues.length > 0 ? { issues } : { value };
}

/** `Required: path (string), content (string).`, when that is short. */
function requiredHint(schema: JsonObject): string {
  if (!Array.isArray(schema.required) || schema.required.length === 0) return '';
  const properties = isObject(schema.properties) ? schema.properties : {};
  const fields = schema.required.map((name) => {
    const property =
      typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(property) && typeof property.type === 'string'
      ? `${name} (${property.type})`
      : String(name);
  });
  const hint = `\nRequired: ${fields.join(', ')}.`;
  return hint.length > maxRequiredChars ? '' : hint;
}

function typeWords(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
