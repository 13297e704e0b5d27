import * as z from 'zod/mini';
import { limits } from '../config/limits.ts';

/** Time spans as people write them: `90s`, `15m`, `24h`; a number is milliseconds. */
const span = z.union([z.string().check(z.maxLength(40)), z.number().check(z.nonnegative())]);
const count = z.number().check(z.int(), z.positive(), z.lte(1_000_000));
const word = z.string().check(z.minLength(1), z.maxLength(200));

const target = z.union([
  /** `console`, `file:PATH`, `session:NAME`, or the address of a webhook. */
  z.string().check(z.minLength(1), z.maxLength(2_000)),
  z.strictObject({ kind: z.literal('console') }),
  z.strictObject({ kind: z.literal('file'), path: z.string().check(z.minLength(1), z.maxLength(1_000)) }),
  z.strictObject({ kind: z.literal('session'), session: word }),
  z.strictObject({
    kind: z.literal('webhook'),
    url: z.string().check(z.minLength(1), z.maxLength(2_000)),
    secretEnv: z.optional(word),
  }),
]);
const targets = z.union([target, z.array(target).check(z.maxLength(10))]);

/** The schema of a field, with a sentence for descriptions of interfaces. */
function field<T extends z.ZodMiniType>(schema: T, description: string): z.ZodMiniOptional<T> {
  const optional = z.optional(schema);
  z.globalRegistry.add(optional, { description });
  return optional;
}

/** When a job is due. */
export const scheduleFields = {
  cron: field(
    z.string().check(z.maxLength(500)),
    'A cron expression. A job has one of `cron`, `every` and `at`.',
  ),
  dialect: field(z.string(), 'Of `cron`: `unix`, `quartz` or `robfig`. Default: by its signs.'),
  timeZone: field(z.string().check(z.maxLength(100)), 'Of `cron`, such as `Europe/Berlin`.'),
  every: field(span, 'An interval such as `15m`, or milliseconds.'),
  at: field(
    z.union([z.string().check(z.maxLength(100)), z.number()]),
    'One time, with its offset from UTC; or milliseconds since the epoch.',
  ),
};

/** What is said of a job besides its id. */
const settings = {
  ...scheduleFields,
  prompt: field(
    z.string().check(z.minLength(1), z.maxLength(100_000)),
    'What an agent is asked. A job has a `prompt` or a `workflow`.',
  ),
  workflow: field(word, 'The id of a workflow that each slot starts.'),
  input: field(z.unknown(), 'Of `workflow`; `{{slot}}` in its texts is the time of the slot.'),
  agent: field(z.nullable(word), 'Whose runs they are.'),
  model: field(z.nullable(word), 'The model of each run, `provider/model`. Default: that of its agent.'),
  session: field(
    z.nullable(word),
    'The session that all its runs share. Null, and the default: each run has a session of its own.',
  ),
  skill: field(z.nullable(word), 'The skill that each run follows.'),
  delivery: field(
    targets,
    'Where results go: `console`, `session:NAME`, `file:PATH`, or the address of a webhook.',
  ),
  misfire: field(z.string(), 'What Detent does with missed slots: `skip`, `once` or `all`.'),
  grace: field(span, 'How late a slot may be and still be on time.'),
  window: field(z.nullable(span), 'Missed slots that are older never run.'),
  overlap: field(z.string(), 'A slot during a run: `skip`, `queue` or `cancel-previous`.'),
  jitter: field(span, 'Each slot starts up to this long after its time.'),
  pauseAfter: field(z.nullable(count), 'Failures in a row that pause the job.'),
  alertAfter: field(z.nullable(count), 'Failures in a row that `alert` hears of.'),
  alert: field(targets, 'As `delivery`.'),
  keep: field(count, 'How many of its last slots are kept.'),
  attempts: field(count, 'Attempts at one delivery.'),
  limits: field(z.nullable(limits.schema), 'Limits of each run.'),
  budget: field(z.nullable(word), 'The budget that its runs share.'),
};

/** The fields of a job as people write them; see docs/schedule.md. */
export const jobFields = {
  enabled: field(z.boolean(), 'Default true.'),
  ...settings,
};

/** Those of a change. */
export const jobChangeFields = settings;

/** A job as people write it. */
export const jobInput = z.strictObject({ jobId: z.string(), ...jobFields });

/** Changes of a job. One of `cron`, `every` and `at` replaces the schedule; what is left out stays. */
export const jobChange = z.strictObject(jobChangeFields);

export type JobInput = z.infer<typeof jobInput>;
export type JobChange = z.infer<typeof jobChange>;
/** Where results go, as people write it. */
export type JobTargetInput = z.infer<typeof target>;
/** When a job is due, as people write it. */
export type ScheduleFields = Pick<JobChange, keyof typeof scheduleFields>;
