import { isObject } from '../../protocol/json.ts';
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
