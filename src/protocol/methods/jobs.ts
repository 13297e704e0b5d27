import * as z from 'zod/mini';
import { job, jobSchedule, jobSlot } from './answers/job.ts';
import { scheduleParts } from './answers/schedule.ts';
import { about, count, idempotencyKey, limit, named, text, time, word } from './fields.ts';
import { jobChangeFields, jobFields, scheduleFields } from './job-input.ts';
import type { Declarations } from './method.ts';

const jobId = about(
  word(),
  'Id of a job; of a new one: 1 to 150 characters. For a user, the job of this name of their own.',
);
const reason = about(z.optional(word(1000)), 'What the job says while it stands still.');
const changed = { output: job, scope: 'write', keyed: 'noted' } as const;

/** Scheduled jobs. A page that shows them asks for the list again from time to time: there are no events of jobs. */
export const jobMethods = {
  'cron.list': {
    scope: 'read',
    summary: 'Scheduled jobs, in the order of their ids.',
    input: z.strictObject({
      afterJobId: about(z.optional(text(200)), 'Only those behind this id.'),
      limit: limit(1000, 100),
    }),
    output: z.strictObject({ jobs: z.array(job) }),
    http: { verb: 'get', path: '/jobs' },
  },
  'cron.get': {
    scope: 'read',
    summary: 'A job: its schedule in words, its next times, what it does now, how it ended last.',
    input: z.strictObject({ jobId }),
    output: job,
    http: { verb: 'get', path: '/jobs/{jobId}' },
  },
  'cron.add': {
    scope: 'write',
    summary:
      'Makes a job. Files and webhooks as targets, `model`, `limits` and `budget` need the scope `admin`.',
    input: z.strictObject({ jobId, ...jobFields, idempotencyKey }),
    output: job,
    http: { verb: 'post', path: '/jobs', status: 201 },
    keyed: 'noted',
    makesJobs: true,
    startsAgents: true,
  },
  'cron.update': {
    ...changed,
    summary:
      'Changes the fields that are given. Needs the scope `admin` for what `cron.add` does, and for any change of a job that has it.',
    input: z.strictObject({ jobId, ...jobChangeFields, idempotencyKey }),
    http: { verb: 'patch', path: '/jobs/{jobId}' },
  },
  'cron.enable': {
    ...changed,
    summary: 'Enables the job: its slots count again from now on.',
    input: z.strictObject({ jobId, idempotencyKey }),
    http: { verb: 'post', path: '/jobs/{jobId}/enable' },
  },
  'cron.disable': {
    ...changed,
    summary: 'From now on the job has no slots. A run that is at work continues.',
    input: z.strictObject({ jobId, reason, idempotencyKey }),
    http: { verb: 'post', path: '/jobs/{jobId}/disable' },
  },
  'cron.pause': {
    ...changed,
    summary: 'Pauses the job: its slots are recorded, and none runs.',
    input: z.strictObject({ jobId, reason, idempotencyKey }),
    http: { verb: 'post', path: '/jobs/{jobId}/pause' },
  },
  'cron.resume': {
    ...changed,
    summary: 'Ends a pause.',
    input: z.strictObject({ jobId, idempotencyKey }),
    http: { verb: 'post', path: '/jobs/{jobId}/resume' },
  },
  'cron.remove': {
    scope: 'write',
    summary: 'Removes a job with its record, and cancels its run. The conversation of its runs stays.',
    input: z.strictObject({ jobId, idempotencyKey }),
    output: z.strictObject({ removed: z.literal(true) }),
    http: { verb: 'delete', path: '/jobs/{jobId}' },
    keyed: 'noted',
  },
  'cron.run': {
    scope: 'write',
    summary: 'Runs the job once now, behind a run at work, in a process that runs the schedule.',
    input: z.strictObject({ jobId, idempotencyKey }),
    output: job,
    http: { verb: 'post', path: '/jobs/{jobId}/run', status: 202 },
    keyed: 'noted',
  },
  'cron.redeliver': {
    scope: 'write',
    summary:
      'Retries the deliveries of a slot that Detent gave up, and says how many. It does not touch those that arrived or are on their way.',
    input: z.strictObject({
      jobId,
      n: about(z.int().check(z.gte(1), z.lte(1e12)), 'The number of the slot.'),
      idempotencyKey,
    }),
    output: z.strictObject({ redelivered: z.int() }),
    http: { verb: 'post', path: '/jobs/{jobId}/slots/{n}/redeliver', status: 202 },
    keyed: 'repeated',
  },
  'cron.history': {
    scope: 'read',
    summary: 'The slots of a job, newest first: how each ended, or why it did not run.',
    input: z.strictObject({
      jobId,
      below: about(z.optional(count), 'Only slots with a smaller `n`.'),
      limit: limit(200, 20),
    }),
    output: z.strictObject({ slots: z.array(jobSlot) }),
    http: { verb: 'get', path: '/jobs/{jobId}/history' },
  },
  'cron.next': {
    scope: 'read',
    summary: 'The next times of a job, also while it stands still.',
    input: z.strictObject({ jobId, count: limit(100, 3) }),
    output: z.strictObject({ next: z.array(time) }),
    http: { verb: 'get', path: '/jobs/{jobId}/next' },
  },
  'cron.preview': {
    scope: 'read',
    summary: 'What a schedule means: in words, and its next times. Makes no job.',
    input: z.strictObject({ ...scheduleFields, from: z.optional(time), count: limit(100, 3) }),
    output: named(
      'SchedulePreview',
      z.strictObject({
        schedule: jobSchedule,
        words: z.string(),
        parts: about(z.nullable(scheduleParts), 'As in `Job`.'),
        next: z.array(time),
      }),
    ),
    http: { verb: 'get', path: '/schedule-preview' },
  },
} satisfies Declarations;
