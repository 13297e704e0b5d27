import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import type { PersonAnswer, ToolContext } from '../../ports/tool.ts';
import { isObject } from '../../protocol/json.ts';
import type { FieldValue, QuestionField, QuestionView } from '../../protocol/run-view.ts';

/** Maximum characters of a server's text that people see. */
const maxChars = 4_000;
const maxFields = 50;

/** Asks a person. */
export type AskPerson = NonNullable<ToolContext['ask']>;

/**
 * Shows a server's form to a person.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export async function elicit(
  server: string,
  { message, requestedSchema }: Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'>,
  ask: AskPerson,
): Promise<ElicitResult> {
  const fields = fieldsOf(requestedSchema);
  // Too many fields for a person to fill in.
  if (fields.length > maxFields) return { action: 'decline' };
  const text = `MCP server ${JSON.stringify(server)} asks: ${cut(message)}`;
  const question: QuestionView = fields.length > 0 ? { text, fields } : { text, options: ['yes', 'no'] };
  return resultOf(await ask(question));
}

function resultOf(answer: PersonAnswer): ElicitResult {
  if (!answer.answered)
    return { action: answer.why === 'expired' || answer.why === 'withdrawn' ? 'cancel' : 'decline' };
  if (answer.answer === 'yes') return { action: 'accept', content: {} };
  const content: unknown = answer.answer;
  return isObject(content)
    ? { action: 'accept', content: content as Record<string, FieldValue> }
    : { action: 'decline' };
}

function fieldsOf({
  properties,
  required = [],
}: ElicitRequestFormParams['requestedSchema']): QuestionField[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    ...fieldOf(schema as FieldSchema),
    ...(!required.includes(name) && { optional: true as const }),
  }));
}

/** The common part of the kinds of fields; the client package has validated them. */
interface FieldSchema {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  title?: string;
  description?: string;
  default?: FieldValue;
  enum?: string[];
  enumNames?: string[];
  oneOf?: { const: string; title: string }[];
  items?: { enum?: string[]; anyOf?: { const: string; title: string }[] };
  format?: NonNullable<QuestionField['format']>;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

function fieldOf(schema: FieldSchema): Omit<QuestionField, 'name'> {
  const { type, title, description, format } = schema;
  const options = optionsOf(schema);
  const min = schema.minLength ?? schema.minimum ?? schema.minItems;
  const max = schema.maxLength ?? schema.maximum ?? schema.maxItems;
  return {
    type: type === 'string' || type === 'array' ? 'text' : type,
    ...(title !== undefined && { title: cut(title) }),
    ...(description !== undefined && { about: cut(description) }),
    ...(options && { options }),
    ...(type === 'array' && { multiple: true }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(format && { format }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  };
}

function optionsOf(schema: FieldSchema): QuestionField['options'] {
  const titled = schema.oneOf ?? schema.items?.anyOf;
  if (titled) return titled.map((one) => ({ value: one.const, title: one.title }));
  return (schema.enum ?? schema.items?.enum)?.map((value, i) => {
    const title = schema.enumNames?.[i];
    return { value, ...(title !== undefined && { title }) };
  });
}

function cut(text: string): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
