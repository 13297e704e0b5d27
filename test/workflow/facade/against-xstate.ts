import { type AnyMachineSnapshot, type AnyStateMachine, initialTransition, transition } from 'xstate';
import type { FlowContext } from '../../../src/store/stored-run.ts';
import { DurableChart } from '../../../src/workflow/facade/durable-chart.ts';
import type { FlowEvent } from '../../../src/workflow/facade/flow-events.ts';
import type { Asked } from '../../../src/workflow/facade/turn.ts';

/** What happens to a chart: an event from outside, the end of an invocation, or a timer. */
export type Happening =
  | { type: 'event'; event: FlowEvent }
  | { type: 'done'; id: string; output: unknown }
  | { type: 'error'; id: string; error: { code: string; message: string } }
  | { type: 'timer'; id: string };

/** A chart under Detent's facade, beside the same chart under xstate itself. */
export class BothWays {
  readonly #chart: AnyStateMachine;
  readonly #durable: DurableChart;
  #snapshot: AnyMachineSnapshot;
  #plain: AnyMachineSnapshot;
  /** The events of the timers that the engine would have, by their ids. */
  readonly timers = new Map<string, string>();
  /** Whether each transition was the same out of memory and out of the row, as a replay makes it. */
  agrees = true;
  /** Whether a driver restores the run from its row before each event. */
  readonly #isRestored: boolean;

  constructor(chart: AnyStateMachine, input: unknown, isRestored: boolean) {
    this.#chart = chart;
    this.#isRestored = isRestored;
    this.#durable = new DurableChart(chart);
    [this.#plain] = initialTransition(chart, input as never);
    this.#snapshot = this.#durable.initialTransition(input)[0];
    this.#deliver({ type: 'run.start' });
    this.#settleActions();
  }

  get flow(): FlowContext {
    return this.#snapshot.context as FlowContext;
  }

  get isOver(): boolean {
    return this.#plain.status !== 'active';
  }

  /** What each of the two stands at, as a row has it. */
  get standing(): { durable: string; plain: string } {
    const end = this.flow.end?.outcome ?? 'active';
    const durable = { value: this.#snapshot.value, context: this.flow.user, status: end };
    const { value, context, status } = this.#plain;
    const plain = { value, context, status: status === 'error' ? 'failed' : status };
    return { durable: JSON.stringify(durable), plain: JSON.stringify(plain) };
  }

  /** False when both throw, as for a chart that goes round for ever. @throws when only one of them does. */
  take(happening: Happening): boolean {
    const { durable, plain } = this.#eventsOf(happening);
    const failures = [
      thrownBy(() => this.#deliver(durable)),
      thrownBy(() => {
        [this.#plain] = transition(this.#chart, this.#plain, plain as never);
      }),
    ];
    const [failure] = failures.filter((error) => error !== null);
    if (failure && failures.includes(null)) throw failure;
    if (!failure) this.#settleActions();
    return !failure;
  }

  /** As the engine has it, and as xstate has it. */
  #eventsOf(happening: Happening): { durable: FlowEvent; plain: FlowEvent } {
    switch (happening.type) {
      case 'event':
        return { durable: happening.event, plain: happening.event };
      case 'done': {
        const { id, output } = happening;
        return {
          durable: { type: 'service.done', effectId: this.#numberOf(id), output },
          plain: { type: `xstate.done.actor.${id}`, output, actorId: id },
        };
      }
      case 'error': {
        const { id, error } = happening;
        return {
          durable: { type: 'service.failed', effectId: this.#numberOf(id), error },
          plain: { type: `xstate.error.actor.${id}`, error, actorId: id },
        };
      }
      case 'timer': {
        const type = this.timers.get(happening.id) ?? '';
        this.timers.delete(happening.id);
        return { durable: { type }, plain: this.flow.delayed[happening.id] ?? { type } };
      }
    }
  }

  /** Named actions are performed at once. */
  #settleActions(): void {
    for (const { kind, n } of this.flow.open)
      if (kind === 'action') this.#deliver({ type: 'action.done', effectId: n });
  }

  #numberOf(id: string): number {
    const entry = this.flow.open.find((one) => one.id === id && one.kind !== 'action');
    if (!entry) throw new Error(`"${id}" is not open`);
    return entry.n;
  }

  #deliver(event: FlowEvent): void {
    const cold = restored(this.#durable, this.#snapshot);
    const [next, actions] = this.#durable.transition(this.#isRestored ? cold : this.#snapshot, event);
    const [again, same] = this.#durable.transition(cold, event);
    this.agrees &&= moved(next, actions) === moved(again, same);
    this.#snapshot = next;
    for (const { type, params } of actions as Asked[])
      if (type === 'timer.set') this.timers.set(String(params.id), String(params.event));
      else if (type === 'timer.clear') this.timers.delete(String(params.id));
  }
}

/** The snapshot out of its row. */
function restored(machine: DurableChart, { value, context }: AnyMachineSnapshot): AnyMachineSnapshot {
  return machine.resolveState(JSON.parse(JSON.stringify({ value, context })));
}

/** What a transition writes. */
function moved({ value, context, status, output }: AnyMachineSnapshot, actions: readonly unknown[]): string {
  return JSON.stringify({ value, context, status, output, actions });
}

function thrownBy(act: () => void): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}
