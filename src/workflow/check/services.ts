import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { messageOf } from '../../protocol/error.ts';
import { isChart } from '../facade/chart-services.ts';
import { serviceOf } from '../services.ts';
import { versionOf } from '../workflow.ts';
import type { Findings } from './findings.ts';
import { notJson } from './not-json.ts';
import { aroundOf, handles, nodesOf, own } from './written.ts';

interface Invoke {
  id: string;
  src: string;
  input?: unknown;
  systemId?: unknown;
  onSnapshot?: unknown;
}

const declare =
  'declare it with step(), agent(), model(), tool() or ask(); what a callback or an observable says is an event from outside, or an after';

/** Checks what performs the invocations of a chart, and their names in rows. */
export function checkServices(chart: AnyStateMachine, findings: Findings): void {
  const ids = new Map<string, AnyStateNode>();
  const refused = new Set<string>();
  for (const node of nodesOf(chart.root)) {
    const written = [node.config.invoke ?? []].flat() as { id?: string; src: unknown }[];
    for (const [i, invoke] of (node.invoke as Invoke[]).entries()) {
      const logic = written[i]?.src;
      const isInline = typeof logic !== 'string';
      // One that is a service, or a machine, has a name of its place, at which a stored run finds it.
      const isLost = isInline && notDurable(logic) !== null;
      if (isLost)
        findings.add(
          'INLINE_SERVICE',
          node,
          'invokes logic that is written inline',
          'name it in setup({ actors }), and declare it there with step(), agent(), model(), tool() or ask()',
        );
      else if (!isInline) checkLogic(invoke.src, node, refused, findings);
      const hasId = written[i]?.id !== undefined;
      const name = hasId ? `"${invoke.id}"` : isInline ? 'the invocation' : `"${invoke.src}"`;
      if (!hasId && !isLost)
        findings.add(
          'UNNAMED_INVOKE',
          node,
          `the invocation of ${isInline ? 'what is written inline' : `"${invoke.src}"`} has no id: it is called "${invoke.id}", after its state`,
          'give it an id that outlives the name of the state',
        );
      checkId(invoke.id, node, ids, findings);
      if (invoke.systemId !== undefined)
        findings.add(
          'SYSTEM_ID',
          node,
          `${name} has a systemId, which needs a system of live actors`,
          'give it an id alone',
        );
      if (invoke.onSnapshot !== undefined)
        findings.add(
          'NOT_DURABLE',
          node,
          `${name} has onSnapshot, but a durable service has no snapshots: it would never fire`,
          'take its output in onDone',
        );
      if (!takes(node, `xstate.error.actor.${invoke.id}`))
        findings.add(
          'NO_ONERROR',
          node,
          `${name} has no onError: if it fails, the run ends as failed`,
          'add onError, if the chart can continue without the service',
        );
      if (typeof invoke.input !== 'function')
        for (const { path, what } of notJson(invoke.input, 'input'))
          findings.add('INPUT_NOT_JSON', node, `${path} of ${name} is ${what}`, keepJson);
    }
    if (node.invoke.length > 0 && (node.always ?? []).length > 0)
      findings.add(
        'ALWAYS_LEAVES',
        node,
        'has both invoke and always: when always leaves at entry, the service never starts',
        'if this is not intended, put always in a state before it',
      );
  }
}

export const keepJson =
  'keep to plain JSON: a Date as its ISO string, a Map as an object, an error as its message';

/** Reported where the name is used first. */
function checkLogic(src: string, node: AnyStateNode, refused: Set<string>, findings: Findings): void {
  const why = notDurable(own(node.machine.implementations.actors, src));
  if (!why || refused.has(src)) return;
  refused.add(src);
  findings.add('NOT_DURABLE', node, `"${src}" ${why.what}`, why.remedy);
}

/** Why Detent cannot perform actor logic; null if it can. */
export function notDurable(logic: unknown): { what: string; remedy: string } | null {
  if (logic === undefined)
    return { what: 'is not in setup({ actors })', remedy: 'name its logic in setup({ actors })' };
  if (serviceOf(logic)) return null;
  if (!isChart(logic))
    return { what: 'is neither a service of Detent nor a machine: it cannot be resumed', remedy: declare };
  try {
    versionOf(logic);
    return null;
  } catch (error) {
    return { what: `cannot be run as a workflow: ${messageOf(error)}`, remedy: 'mend that machine' };
  }
}

function checkId(id: string, node: AnyStateNode, ids: Map<string, AnyStateNode>, findings: Findings): void {
  const other = ids.get(id);
  if (!other) {
    ids.set(id, node);
    return;
  }
  const where = other === node ? 'twice in this state' : `in "${other.path.join('.') || other.key}", too`;
  findings.add(
    'SHARED_ID',
    node,
    `the id "${id}" is used ${where}: if both run at once the run fails, and a migration cannot tell them apart`,
    'give each invocation an id of its own',
  );
}

/** Whether a state, or one around it, has a transition for an event. */
function takes(node: AnyStateNode, type: string): boolean {
  return aroundOf(node).some((at) => handles(at, type));
}
