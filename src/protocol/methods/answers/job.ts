import * as z from 'zod/mini';
import { cronDialects, misfirePolicies, overlapPolicies } from '../../../../machines/job.types.ts';
import { about, json, named, status, time, toOperators } from '../fields.ts';
import { failure } from './run-values.ts';
import { scheduleParts } from './schedule.ts';

/** A scheduled job as programs and people see it; the types of `job-view.ts` are taken from these schemas. */

export const jobSchedule = named(
  'JobSchedule',
  z.union([
    z.strictObject({
      kind: z.literal('cron'),
      expression: z.string(),
      dialect: z.enum(cronDialects),
      timeZone: z.string(),
    }),
    /** Every so often, counted from `anchorMs`. */
    z.strictObject({ kind: z.literal('every'), everyMs: z.number(), anchorMs: z.number() }),
    /** Once. */
    z.strictObject({ kind: z.literal('at'), atMs: z.number() }),
  ]),
);

/** Where the result of a run goes. */
const target = named(
  'JobTarget',
  z.union([
    z.strictObject({ kind: z.literal('console') }),
    /** Relative to the workspace; it may name `{{slot}}`. */
    z.strictObject({ kind: z.literal('file'), path: z.string() }),
    z.strictObject({ kind: z.literal('session'), session: z.string() }),
    /** `secretEnv` names the variable with the secret that signs it. */
    z.strictObject({
      kind: z.literal('webhook'),
      url: z.string(),
      secretEnv: z.exactOptional(z.string()),
    }),
  ]),
);

const fireKind = z.enum(['slot', 'manual']);
/** How the run of a slot ended. */
const stillCauses = [
  ...(['by_hand', 'made_so', 'configured', 'failures', 'finished', 'faulted', 'given'] as const),
] as const;

const fireStatus = z.enum(['ok', 'failed', 'cancelled']);
const nullableCount = z.nullable(z.int());

/** What a job does, as it was made. */
const definition = {
  schedule: jobSchedule,
  /** Empty for a job that starts a workflow. */
  prompt: z.string(),
  /** The workflow that each slot starts, in place of an agent. */
  workflow: z.exactOptional(z.string()),
  /** Of the workflow. Its texts may have `{{slot}}`. */
  input: z.exactOptional(json),
  agent: z.nullable(z.string()),
  /** Of each run; null: as its agent says. */
  model: z.nullable(z.string()),
  skill: z.nullable(z.string()),
  deliver: z.array(target),
  misfire: z.enum(misfirePolicies),
  /** A slot that begins no later than this after its time is on time. */
  graceMs: z.number(),
  /** A missed slot older than this never runs. Null for any age. */
  windowMs: z.nullable(z.number()),
  overlap: z.enum(overlapPolicies),
  /** Each slot starts up to this long after its time, so that many jobs do not start at once. */
  jitterMs: z.number(),
  /** Pauses the job after so many failures in a row; null for never. */
  pauseAfter: nullableCount,
  /** Tells `alert` after so many failures in a row; null for never. */
  alertAfter: nullableCount,
  alert: z.array(target),
  /** How many of its last slots are kept, each with its run and deliveries. */
  keep: z.int(),
  /** Limits of each run, as a request has them. */
  limits: z.nullable(z.record(z.string(), json)),
  budget: z.nullable(z.string()),
  /** Attempts at one delivery. */
  attempts: z.int(),
};

/** Times are milliseconds since the epoch. */
export const job = named(
  'Job',
  z.strictObject({
    ...definition,
    jobId: z.string(),
    /**
     * `waiting`: its run waits for a person, or for an event of its workflow. `interrupted`: no process drives its run. `overdue`:
     * something of it is due, and no process runs the schedule. `finished`: it has no other time. `failed`: its statechart threw.
     */
    state: z.enum([
      ...(['scheduled', 'overdue', 'running', 'waiting', 'interrupted', 'delivering'] as const),
      ...(['paused', 'disabled', 'finished', 'failed'] as const),
    ]),
    why: about(z.nullable(toOperators('text', z.string())), 'Why it stands still.'),
    cause: about(
      z.nullable(z.enum(stillCauses)),
      'Which reason `why` gives, for other languages; `given` for the words of a person or a program.',
    ),
    isAttended: about(
      z.boolean(),
      'Whether a process that runs the schedule has it now; a new job is taken a moment later.',
    ),
    words: about(z.string(), 'The schedule in English.'),
    parts: about(z.nullable(scheduleParts), 'The schedule for other languages; null for a single moment.'),
    next: about(z.array(time), 'Its next times; none while it stands still.'),
    last: about(
      z.nullable(
        z.strictObject({
          n: z.int(),
          slot: z.number(),
          status: fireStatus,
          error: z.nullable(failure),
          at: z.number(),
          /** How many of its deliveries were given up. */
          lost: z.int(),
        }),
      ),
      'The last run that ended.',
    ),
    /**
     * The slot at work. `waitsForEvent`: it waits for no person; its workflow waits for an event, or for the clock. `waitsForStaff`: a
     * person of the staff has its session, and its run begins when they give it back.
     */
    current: z.nullable(
      z.strictObject({
        n: z.int(),
        slot: z.number(),
        kind: fireKind,
        runId: z.nullable(z.string()),
        /** Of its run; null before that is known, and for a workflow. */
        sessionId: z.nullable(z.string()),
        status: z.nullable(status),
        waitsForEvent: z.exactOptional(z.literal(true)),
        waitsForStaff: z.exactOptional(z.literal(true)),
      }),
    ),
    /** Slots that wait for it. */
    queued: z.int(),
    /** Failures in a row. */
    failures: z.int(),
    /** Deliveries that have not arrived yet, and are tried again. `last.lost` has those of the last run that were given up. */
    undelivered: z.int(),
    /** Deliveries of all kept slots that were given up. */
    lost: z.int(),
    sessionId: about(
      z.nullable(z.string()),
      'The session that all its runs share; null when each has its own, `cron:JOB:RUN`, and for a workflow.',
    ),
    userId: z.nullable(z.string()),
    /** Whether an agent wrote its prompt that had read untrusted text. */
    isTainted: z.boolean(),
    /** Who declared it: `user`, `config`, `tool`. */
    source: z.string(),
    /** The run of its own statechart. */
    jobRunId: z.string(),
    createdAt: z.number(),
    updatedAt: z.number(),
  }),
);

/** The way of a result to a target. Whether it arrived says nothing about the run. */
export const delivery = named(
  'JobDelivery',
  z.strictObject({
    target,
    isAlert: z.boolean(),
    /** `pending`: it is under way, or tried again. `dead`: given up. */
    status: z.enum(['pending', 'delivered', 'dead']),
    attempts: z.int(),
    error: z.nullable(failure),
    /** When the next attempt is due. */
    dueAt: z.nullable(z.number()),
  }),
);

/** A slot of a job: a time at which it ran, or did not. */
export const jobSlot = named(
  'JobSlot',
  z.strictObject({
    n: z.int(),
    slot: about(time, 'Its time.'),
    kind: fireKind,
    status: z.enum(['queued', 'running', 'ok', 'failed', 'cancelled', 'skipped']),
    reason: about(
      z.nullable(
        z.enum([
          ...(['missed', 'coalesced', 'too_old', 'overlap', 'replaced'] as const),
          ...(['queue_full', 'paused', 'disabled', 'updated'] as const),
        ]),
      ),
      'Why it did not run.',
    ),
    runId: z.nullable(z.string()),
    /** Of its run while that is at work. */
    runStatus: z.nullable(status),
    /** As in `current` of the job. */
    waitsForEvent: z.exactOptional(z.literal(true)),
    waitsForStaff: z.exactOptional(z.literal(true)),
    error: z.nullable(failure),
    begunAt: z.nullable(z.number()),
    lateMs: about(
      z.nullable(z.number()),
      'How much later than its time it began; null if that was within 5 s, besides the jitter of the job.',
    ),
    endedAt: z.nullable(z.number()),
    deliveries: z.array(delivery),
  }),
);
