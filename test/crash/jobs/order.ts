import type { JobDefinition } from '../../../machines/job.types.ts';
import type { LifeOrder } from '../harness/life.ts';

/** The work of a process of a scenario of jobs. */
export interface JobOrder extends LifeOrder {
  of: 'jobs';
  jobs: readonly PlannedJob[];
  /** How long the model takes to answer, in milliseconds of the machine. */
  thinkingMs: number;
  /** The model asks for a call that a person must allow. */
  asks: boolean;
}

/** A job of a scenario, whose times begin when its clock does. */
export interface PlannedJob {
  id: string;
  /** Slots after this one count. */
  from: number;
  definition: JobDefinition;
}

/** Where the clock of scenarios begins. */
export const clockBegins = Date.parse('2026-06-01T00:00:00Z');
/** It is so many times as fast as that of the machine: five seconds until a delivery is repeated are a quarter of one. */
export const clockSpeed = 20;

/** An attempt at a delivery, as its process noted it in `attempts.jsonl` before it made it. */
export interface Attempt {
  /** The same for each attempt. */
  id: string;
  pid: number;
}

/** By which an attempt and the row of its delivery are matched. */
export function deliveryKey({ n, target, isAlert }: { n: number; target: number; isAlert: boolean }): string {
  return `${n} ${isAlert ? 'alert' : 'result'} ${target}`;
}
