export type { JobDefinition, JobSchedule, JobTarget } from '../../machines/job.types.ts';
export type { JobChange, JobInput } from '../protocol/methods.ts';
export type { DeliveryView, FireView, JobState, JobView } from '../protocol/views.ts';
export type { Happening, JobScope, Scheduler, SchedulerOptions } from './api.ts';
export { createScheduler } from './scheduler.ts';
export { inWords } from './times/in-words.ts';
export { type CronOptions, nextTimes } from './times/next-times.ts';
