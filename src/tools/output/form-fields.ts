import type { FieldValue, QuestionField } from '../../protocol/views.ts';
import { shortened } from '../../text/wording.ts';

/** Maximum characters of a text from outside that people see in a form. */
const maxChars = 4_000;

/** The fields of a form by its JSON Schema: a flat object of texts, numbers, choices and booleans. */
export function fieldsOf({ properties, required = [] }: FormSchema): QuestionField[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    ...fieldOf(schema),
    ...(!required.includes(name) && { optional: true as const }),
  }));
}

/** A flat object. */
export type FormSchema = {
  properties: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[] | undefined;
};

/** The common part of the kinds of fields. */
type FieldSchema = {
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
};

function fieldOf(schema: FieldSchema): Omit<QuestionField, 'name'> {
  const { type, title, description, format } = schema;
  const options = optionsOf(schema);
  const min = schema.minLength ?? schema.minimum ?? schema.minItems;
  const max = schema.maxLength ?? schema.maximum ?? schema.maxItems;
  return {
    type: type === 'string' || type === 'array' ? 'text' : type,
    ...(title !== undefined && { title: cutForPeople(title) }),
    ...(description !== undefined && { about: cutForPeople(description) }),
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

/** A text from outside, as long as people read it. */
export function cutForPeople(text: string): string {
  return shortened(text, maxChars);
}
