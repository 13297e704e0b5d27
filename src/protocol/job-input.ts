import * as z from 'zod/mini';
import { limits } from './config/limits.ts';

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

const fields = {
  cron: z.optional(z.string().check(z.maxLength(500))),
  dialect: z.optional(z.string()),
  timeZone: z.optional(z.string().check(z.maxLength(100))),
  every: z.optional(span),
  at: z.optional(z.union([z.string().check(z.maxLength(100)), z.number()])),
  prompt: z.string().check(z.minLength(1), z.maxLength(100_000)),
  agent: z.optional(z.nullable(word)),
  skill: z.optional(z.nullable(word)),
  delivery: z.optional(targets),
  misfire: z.optional(z.string()),
  grace: z.optional(span),
  window: z.optional(z.nullable(span)),
  overlap: z.optional(z.string()),
  jitter: z.optional(span),
  pauseAfter: z.optional(z.nullable(count)),
  alertAfter: z.optional(z.nullable(count)),
  alert: z.optional(targets),
  keep: z.optional(count),
  attempts: z.optional(count),
  limits: z.optional(z.nullable(limits.schema)),
  budget: z.optional(z.nullable(word)),
};

/** A job as people write it; see docs/schedule.md. */
export const jobInput = z.strictObject({
  jobId: z.string(),
  enabled: z.optional(z.boolean()),
  ...fields,
});

/** Changes of a job. One of `cron`, `every` and `at` replaces the schedule; what is left out stays. */
export const jobChange = z.strictObject({ ...fields, prompt: z.optional(fields.prompt) });

export type JobInput = z.infer<typeof jobInput>;
export type JobChange = z.infer<typeof jobChange>;
