import * as z from 'zod/mini';
import { named } from '../fields.ts';
import type { ScheduleParts } from './schedule-parts.ts';

/** What a schedule means, in parts; `schedule-parts.ts` explains them. */

const run = z.tuple([z.int(), z.int()]);
const runs = z.strictObject({ runs: z.array(run) });
const steps = z.strictObject({ step: z.int(), first: z.int(), last: z.int() });
const numbers = z.union([runs, steps]);

const time = z.union([
  z.strictObject({
    kind: z.literal('span'),
    span: z.array(z.tuple([z.number(), z.enum(['day', 'hour', 'minute', 'second', 'millisecond'])])),
  }),
  z.strictObject({ kind: z.literal('at'), times: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal('hours'),
    step: z.int(),
    from: z.nullable(z.string()),
    to: z.nullable(z.string()),
  }),
  z.strictObject({
    kind: z.literal('within'),
    unit: z.enum(['minute', 'second']),
    at: z.union([runs, steps, z.strictObject({ every: z.int() })]),
    minutes: z.nullable(numbers),
    hours: z.nullable(numbers),
  }),
]);

const days = z.union([
  z.strictObject({ kind: z.literal('weekdays'), days: z.array(run) }),
  z.strictObject({ kind: z.literal('days'), days: numbers }),
  z.strictObject({ kind: z.literal('beforeLast'), count: z.int() }),
  z.strictObject({ kind: z.literal('nearDay'), day: z.int() }),
  z.strictObject({ kind: z.literal('nearBeforeLast'), count: z.int() }),
  z.strictObject({
    kind: z.literal('nth'),
    nth: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5), z.literal('last')]),
    day: z.int(),
  }),
]);

const parts = z.strictObject({
  time,
  days: z.array(days),
  months: z.array(run),
  years: z.nullable(numbers),
});

export const scheduleParts: z.ZodMiniType<ScheduleParts> = named('ScheduleParts', parts);
