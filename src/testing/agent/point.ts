import type { AnyMachineSnapshot } from 'xstate';
import type { AnswerCall, PendingCall, RunEvent } from '../../../machines/run.types.ts';

/** A call that the model may make, with what the policy of the agent says of it. */
export interface GraphCall {
  name: string;
  gate: AnswerCall['gate'];
  class: PendingCall['class'];
  isByPolicy: boolean;
  /** Whether its tool asks a person while it runs. */
  asks: boolean;
  mayChange: boolean;
  /** Of a call that starts a run: the call that this run makes, if the sample has one. */
  task: Pick<GraphCall, 'name' | 'gate' | 'class'> | null;
  startsRun: boolean;
}

/** A point on a path: the snapshot of the run machine, and the call behind each number. */
export interface Point {
  snapshot: AnyMachineSnapshot;
  calls: ReadonlyMap<number, GraphCall>;
  /** Calls whose tools, or whose runs, have asked a person. */
  asked: ReadonlySet<number>;
  /** Calls whose runs wait for a person now. */
  waiting: ReadonlySet<number>;
  /** Whether the last thing that happened was the end of a process. */
  hasDied: boolean;
  /** Calls of the last answer that were refused. */
  refused: readonly GraphCall[];
}

/** `process.died` is an end of the process of which the machine hears nothing. `inside`: what happens in the run of a call. */
export type PathEvent = (RunEvent | { type: 'process.died' }) & { inside?: Inside };
export type Inside = 'calls' | 'fails' | 'approve' | 'reject';

/** An answer, with the samples that its calls are made of. */
export type NamedAnswer = Extract<RunEvent, { type: 'model.done' }> & { named?: readonly GraphCall[] };
