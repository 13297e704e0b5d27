import type { JsonObject } from '#src/protocol/json.ts';
import type { QuestionField, QuestionView } from '#src/protocol/views.ts';

/** The JSON Schema of a form that a tool shows, so that one form serves both. */
export function schemaOfQuestion({ fields = [] }: QuestionView): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field)])),
    required: fields
      .filter(({ optional, default: usual }) => !optional && usual === undefined)
      .map(({ name }) => name),
  } as JsonObject;
}

/** What the form begins with. */
export function defaultsOfQuestion({ fields = [] }: QuestionView): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, default: usual }) => (usual === undefined ? [] : [[name, usual]])),
  );
}

function schemaOfField({
  type,
  title,
  about,
  options,
  multiple,
  format,
  min,
  max,
}: QuestionField): JsonObject {
  const named = { ...(title !== undefined && { title }), ...(about !== undefined && { description: about }) };
  const choice = options && {
    oneOf: options.map((one) => ({ const: one.value, ...(one.title !== undefined && { title: one.title }) })),
  };
  if (choice && multiple)
    return {
      ...named,
      type: 'array',
      uniqueItems: true,
      items: choice,
      ...(min !== undefined && { minItems: min }),
      ...(max !== undefined && { maxItems: max }),
    } as JsonObject;
  if (choice) return { ...named, ...choice } as JsonObject;
  if (type === 'text')
    return {
      ...named,
      type: 'string',
      ...(format !== undefined && { format }),
      ...(min !== undefined && { minLength: min }),
      ...(max !== undefined && { maxLength: max }),
    } as JsonObject;
  return {
    ...named,
    type,
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  } as JsonObject;
}
