import * as z from 'zod/mini';
import { type RunEvent, runEventPayloads } from '../../run-events.ts';
import { named } from '../fields.ts';

const events = Object.entries(runEventPayloads).map(([event, payload]) =>
  z.strictObject({
    event: z.literal(event),
    runId: z.string(),
    seq: z.int(),
    index: z.int(),
    last: z.boolean(),
    at: z.number(),
    payload,
  }),
);

/** An event of a run: of each name with its payload. */
export const runEvent = named('RunEvent', z.union(events) as z.ZodMiniType<RunEvent>);
