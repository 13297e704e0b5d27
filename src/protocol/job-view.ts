import type * as z from 'zod/mini';
import type * as answers from './methods/answers/job.ts';

/**
 * What a job does now. `waiting`: its run waits for a person, or for an event of its workflow. `interrupted`: no process drives its run. `overdue`: something
 * of it is due, and no process runs the schedule. `finished`: it has no other time. `failed`: its statechart threw.
 */
export type JobState = JobView['state'];

/** A job, as programs and people see it. Times are milliseconds since the epoch. */
export interface JobView extends z.output<typeof answers.job> {}

/** A slot of a job: a time at which it ran, or did not. */
export interface FireView extends z.output<typeof answers.jobSlot> {}

/** `pending`: it is under way, or tried again. `dead`: given up. */
export type DeliveryStatus = DeliveryView['status'];

/** The way of a result to a target. Whether it arrived says nothing about the run. */
export interface DeliveryView extends z.output<typeof answers.delivery> {}
