import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { approvals, runStatuses } from '../enums.ts';
import type { JsonValue } from '../json.ts';

// The messages of refused requests. The small zod has none of its own.
z.config(en());

/** A schema with a sentence for the descriptions of the interface. */
export function about<T extends z.ZodMiniType>(schema: T, description: string): T {
  return schema.check(z.describe(description));
}

/** A schema that the descriptions of the interface name. */
export function named<T extends z.ZodMiniType>(id: string, schema: T): T {
  z.globalRegistry.add(schema, { id });
  return schema;
}

/**
 * Values that hold what is meant for the person who runs the gateway, and how other clients read them: an `error` by its code, a `text`
 * without what names the host, a `rule` of a policy in words for everyone, a `sentence` by its code without both, what is `told` in English as
 * its sentences then say, `json` with its errors by their codes, `null` as null, a `hidden`
 * field not at all, and the name of a `person` only if it is their own.
 */
type Reads = 'error' | 'text' | 'rule' | 'sentence' | 'told' | 'json' | 'null' | 'hidden' | 'person';

/** What clients with fewer scopes read otherwise, or not at all. */
export const marks = z.registry<{ reads?: Reads; isInside?: true }>();

/** A value that clients without the scope `admin` read otherwise. */
export function toOperators<T extends z.ZodMiniType>(reads: Reads, schema: T): T {
  marks.add(schema, { ...marks.get(schema), reads });
  return schema;
}

/** A value that is hidden from clients who only talk: costs, models, and what goes on inside a run. */
export function toReaders<T extends z.ZodMiniType>(schema: T): T {
  marks.add(schema, { ...marks.get(schema), isInside: true });
  return schema;
}

/** Text of at most so many characters, and one at least. */
export const word = (max = 200) => z.string().check(z.minLength(1), z.maxLength(max));
/** Text of at most so many characters. */
export const text = (max = 100_000) => z.string().check(z.maxLength(max));
export const count = z.int().check(z.gte(0));
export const limit = (max: number, usual: number) => z._default(z.int().check(z.gte(1), z.lte(max)), usual);
/** Any JSON, of its own: a mark for readers counts wherever a schema is. */
export const anyJson = () => z.custom<JsonValue>((value) => value !== undefined);
/** Any JSON. */
export const json = anyJson();
export const jsonObject = z.record(z.string(), json);

export const runId = about(word(), 'Id of a run.');
export const sessionId = about(
  z.string().check(z.regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u, 'is 1 to 200 characters without control characters')),
  'Key of a session.',
);

export const seq = about(count, 'Number of a transition of the run.');
export const cursor = about(count, 'A place in what happens to the runs of a tenant.');
export const time = about(count, 'Milliseconds since the epoch.');
/** Of a search, which has a limit of its own. */
export const hits = about(z.optional(z.int().check(z.gte(1), z.lte(100))), 'Default: 6.');
export const status = z.enum(runStatuses);
export const statuses = z.array(status).check(z.maxLength(runStatuses.length));

export const approve = about(
  z.optional(z.enum(approvals)),
  '`all` lets every call run without a person, and needs the scope `approve`.',
);
export const queries = z.union([word(4_000), z.array(word(4_000)).check(z.minLength(1), z.maxLength(4))]);
export const idempotencyKey = about(
  z.optional(word()),
  'A second request with the same key and fields gets the answer of the first, and does nothing. Over HTTP: the header `Idempotency-Key`.',
);
