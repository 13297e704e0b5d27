import { awaitForeign } from '../../engine/foreign-code.ts';
import type { Fact } from '../../engine/machine.ts';
import type { ActionCall, ChartActions } from '../facade/chart-actions.ts';
import { revived } from '../facade/service-failure.ts';
import { serviceError, type WorkflowJob, type WorkflowParts } from './workflow-parts.ts';

/** Performs an action of a chart, perhaps again after a crash: what it is called with is in its row. */
export async function performAction(
  { redact }: Pick<WorkflowParts, 'redact'>,
  actions: ChartActions,
  { effectId, params: row }: WorkflowJob,
): Promise<Fact> {
  const { name, ...call } = row as ActionCall & { name: string };
  const { given = {}, params } = call;
  try {
    const perform = actions.find(name, call);
    if (!perform)
      throw new Error(
        `the chart has no action "${name}" any more; the run was migrated before it was performed`,
      );
    await awaitForeign(`action "${name}"`, () => perform(durable(name, timed(given)), params));
    return { event: { type: 'action.done', effectId } };
  } catch (error) {
    const { code, message } = serviceError(error);
    return { event: { type: 'action.done', effectId, error: { code, message: redact(message) } } };
  }
}

/** The event with its time as in the chart: readable, but not enumerable. */
function timed({ at, thrown, ...given }: NonNullable<ActionCall['given']> | Record<string, never>): object {
  const { event } = given as { event?: { type: string } };
  if (!event) return given;
  const own = thrown ? event : revived(event);
  return { ...given, event: at === undefined ? own : Object.defineProperty({ ...own }, 'at', { value: at }) };
}

/** Throws a clear error when an action reads something that no row can hold. */
function durable(name: string, given: object): object {
  return new Proxy(given, {
    get(own, field) {
      if (typeof field === 'symbol' || field in own) return Reflect.get(own, field);
      if (field === 'context' || field === 'event')
        throw new Error(
          `action "${name}" reads "${field}", which is too large to be kept for it; write { type: '${name}', params: ({ context, event }) => … } with what it needs`,
        );
      throw new Error(
        `action "${name}" reads "${field}", but it has no live actor; a durable action has context, event and its params`,
      );
    },
  });
}
