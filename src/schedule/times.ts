/** When a job is due, and the same in words. */
export { inWords } from './times/in-words.ts';
export { nextSlotAt, nextTimes } from './times/next-times.ts';
export { checkCron } from './times/schedule.ts';
