import type { Method } from '../methods/method.ts';
import { schemaOf } from '../socket/dispatch.ts';

export type Json = Record<string, unknown>;

/** The schema of an input, in which zod's own names of parts are unique among all methods. */
export function inputOf({ name, input }: Method): Json {
  const text = JSON.stringify(schemaOf(input, 'input'));
  return JSON.parse(text.replaceAll('"__schema', `"${name}.part`).replaceAll('/__schema', `/${name}.part`));
}

/** The schema of an output; what it names is among the components. */
export function outputOf({ output }: Method, components: Json): unknown {
  return lift(schemaOf(output, 'output') as Json, components);
}

export function sorted<T>(named: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Moves named schemas to the components: JSON Schema has them in `$defs`, and names them by `id`. */
export function lift(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((one) => lift(one, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $schema: _, $defs = {}, ...rest } = schema as Json & { $defs?: Json };
  for (const [name, definition] of Object.entries($defs as Record<string, Json>)) {
    const { id: _id, ...unnamed } = definition;
    components[name] ??= lift(unnamed, components);
  }
  // A property may be called `id`, too; its value is a schema.
  const id = typeof rest.id === 'string' ? rest.id : null;
  const lifted = Object.fromEntries(
    Object.entries(rest)
      .filter(([name]) => id === null || name !== 'id')
      .map(([name, value]) => [name, lift(value, components)]),
  );
  if (typeof lifted.$ref === 'string') lifted.$ref = lifted.$ref.replace('#/$defs/', '#/components/schemas/');
  if (id === null) return lifted;
  components[id] ??= lifted;
  return { $ref: `#/components/schemas/${id}` };
}
