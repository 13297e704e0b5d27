import type { AnyStateMachine } from 'xstate';
import { isPlainId, type Workflow } from '../workflow.ts';
import { servicesOf } from './chart-services.ts';

/** A machine that another one invokes, and where. */
interface Inner {
  chart: AnyStateMachine;
  /** The name of the outer one, and that of the service. */
  place: string;
}

/**
 * The names of the runs of each chart: the id of a workflow, or of a machine inside it. A machine without an id, or
 * with an id that several share, is named after its place, such as `order.shipping`. So the name of a stored run never
 * comes to mean another chart because workflows are declared in another order.
 */
export function innerNames(declared: readonly Workflow[]): ReadonlyMap<AnyStateMachine, string> {
  const names = new Map(declared.map(({ chart, id }) => [chart, id] as const));
  const outer = new Set(names.values());
  const inner = new Map<AnyStateMachine, Inner>();
  for (const { chart, id } of declared) collect(chart, id, inner, names);
  const charts = [...inner.values()];
  const isTaken = (id: string) => outer.has(id) || charts.filter(({ chart }) => chart.id === id).length > 1;
  for (const { chart, place } of charts) {
    const own = isPlainId(chart.id) && !isTaken(chart.id) ? chart.id : place;
    names.set(chart, free(own, new Set(names.values())));
  }
  return names;
}

function collect(
  chart: AnyStateMachine,
  name: string,
  inner: Map<AnyStateMachine, Inner>,
  outer: ReadonlyMap<AnyStateMachine, string>,
): void {
  for (const [src, service] of servicesOf(chart)) {
    if (service.kind !== 'workflow' || outer.has(service.chart) || inner.has(service.chart)) continue;
    const place = `${name}.${src.replace(/[^\p{L}\p{N}_-]+/gu, '-')}`.slice(0, 90);
    inner.set(service.chart, { chart: service.chart, place });
    collect(service.chart, place, inner, outer);
  }
}

function free(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let n = 2; ; n++) if (!taken.has(`${name}-${n}`)) return `${name}-${n}`;
}
