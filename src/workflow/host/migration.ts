import type { Migration } from '../../engine/machine-host.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { type FlowContext, type OpenService, queuedState } from '../../records/workflow-run.ts';
import { plainJson } from '../facade/plain-json.ts';
import { raised } from '../facade/turn.ts';
import type { MigratedWorkflow, WorkflowMigration } from '../workflow.ts';

type Timers = NonNullable<ReturnType<Migration['snapshot']>['timers']>;

/** A migration of a chart, as the engine applies it: timers by name, services by the ids of their invocations. */
export function migrationOf({ from, snapshot }: WorkflowMigration): Migration {
  return {
    from,
    snapshot({ value, context }) {
      const flow = context as FlowContext;
      // Not begun: the newer chart begins it.
      if (value === queuedState) return { value, context };
      const next = snapshot({ value, context: flow.user });
      const { timers, delayed } = timersOf(flow, next.timers ?? {});
      const user = plainJson(next.context, 'context');
      const open = flow.open.map((entry) => renamed(entry, next.services ?? {}));
      return { value: next.value, context: { ...flow, user, open, delayed }, timers };
    },
  };
}

/** A row of a service's effect keeps its old name: what is performed follows the context. */
function renamed(entry: OpenService, services: NonNullable<MigratedWorkflow['services']>): OpenService {
  const found = Object.entries(services).find(([, { was }]) => was === entry.id);
  if (!found) return entry;
  const [id, { src = entry.src }] = found;
  return { ...entry, id, src };
}

function timersOf(
  flow: FlowContext,
  asked: NonNullable<MigratedWorkflow['timers']>,
): { timers: Timers; delayed: FlowContext['delayed'] } {
  const timers: Record<string, Timers[string]> = {};
  const delayed: Record<string, JsonObject & { type: string }> = { ...flow.delayed };
  for (const [id, change] of Object.entries(asked)) {
    const was = typeof change === 'string' ? change : id;
    const later = flow.delayed[was];
    if (was !== id || change === null) delete delayed[was];
    if (later && change !== null) delayed[id] = later;
    const event = later ? `${raised}${id}` : id;
    timers[id] =
      change === null
        ? null
        : typeof change === 'string'
          ? { event, was }
          : { event, delayMs: change.delayMs };
  }
  return { timers, delayed };
}
