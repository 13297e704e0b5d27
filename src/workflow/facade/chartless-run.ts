import type { AnyMachineSnapshot, AnyStateMachine, EventObject, StateValue } from 'xstate';
import type { DrivenMachine, Transitioned } from '../../engine/machine.ts';
import { cancelledState, type FlowContext } from '../../store/stored-run.ts';
import { ChartActions } from './chart-actions.ts';
import { outsideChart } from './durable-chart.ts';
import { cancelled, endedFlow } from './flow-ends.ts';
import { Turn } from './turn.ts';

/**
 * A run whose own chart this program does not have: it can only be ended. What is open is aborted as in any cancellation,
 * and the chart undoes nothing.
 *
 * Its timers belong to states that are unknown here, so a row action clears them all.
 */
export class ChartlessRun implements DrivenMachine {
  readonly definition: AnyStateMachine;

  /** @param definition the chart that is here: what inspectors show */
  constructor(definition: AnyStateMachine) {
    this.definition = definition;
  }

  initialTransition(): Transitioned {
    throw new Error('a run begins with its chart');
  }

  resolveState({ value, context }: { value: StateValue; context: unknown }): AnyMachineSnapshot {
    return this.#snapshot(value, context as FlowContext);
  }

  transition(before: AnyMachineSnapshot, event: EventObject): Transitioned {
    const flow = before.context as FlowContext;
    if (event.type !== 'run.cancel') return [before, []];
    const turn = new Turn(flow, new Map(), new ChartActions(this.definition));
    for (const entry of turn.open) turn.close(entry);
    turn.ask('flow.clearTimers', {});
    const end = cancelled((event as { reason?: unknown }).reason);
    return [this.#snapshot(cancelledState, endedFlow(flow, end, turn)), turn.asked];
  }

  watched(definition: AnyStateMachine): ChartlessRun {
    return new ChartlessRun(definition);
  }

  #snapshot(value: StateValue, context: FlowContext): AnyMachineSnapshot {
    const takes = value === cancelledState ? [] : ['run.cancel'];
    return outsideChart(this.definition, value, context, takes);
  }
}
