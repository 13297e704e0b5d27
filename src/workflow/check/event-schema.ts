import { isObject, type JsonObject } from '../../protocol/json.ts';
import type { ToolSchema } from '../../protocol/tool.ts';
import { standardSchema } from '../../tools/registry.ts';
import type { Workflow } from '../workflow.ts';

/** What an event from outside must fit: as the workflow says, or its chart (`schemas.events`), if that is a Standard Schema. */
export function eventSchema(workflow: Workflow | undefined, type: string): ToolSchema<unknown> | undefined {
  const { events: ofChart } = (workflow?.chart.schemas ?? {}) as { events?: unknown };
  for (const events of [workflow?.options.events, ofChart]) {
    const schema = isObject(events) && Object.hasOwn(events, type) ? events[type] : undefined;
    const known = standardSchema(schema);
    if (known) return known;
  }
  return undefined;
}

/** What an event must bring besides its type, which the sender chooses; undefined without a schema that prints itself. */
export function payloadSchema(workflow: Workflow, type: string): JsonObject | undefined {
  const schema = printed(eventSchema(workflow, type));
  if (schema === undefined) return undefined;
  const { type: _, ...properties } = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => name !== 'type') : [];
  return { ...schema, properties, required } as JsonObject;
}

/** A schema that cannot print itself leaves people with any JSON; what they give is checked all the same. */
export function printed(schema: ToolSchema<unknown> | Workflow['options']['input']): JsonObject | undefined {
  try {
    return schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) as JsonObject | undefined;
  } catch {
    return undefined;
  }
}
