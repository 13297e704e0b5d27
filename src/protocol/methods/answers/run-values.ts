import * as z from 'zod/mini';
import type { SentenceValue } from '../../sentences/fill.ts';
import { about, named, toOperators } from '../fields.ts';

/** The values that views and events of a run are made of: their types are taken from these schemas. */

/** An image or a document of a message: the bytes are in a row of `artifacts`. */
export const storedPart = z.object({
  /** What it is shown as: an image, or a document that the provider reads. */
  type: z.enum(['image', 'file']),
  /** `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `application/pdf`: what every wire can carry. */
  mimeType: z.string(),
  name: z.exactOptional(z.string()),
  artifact: z.string(),
  /** Size of the decoded bytes. */
  bytes: z.int(),
});

export const tokenUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  /** Of `inputTokens`, those that were written to a cache. Only some providers say. */
  cacheWriteInputTokens: z.exactOptional(z.number()),
  reasoningTokens: z.number(),
  /** Set if Detent estimated a part of the counts, because the answer broke off before the provider reported them. */
  estimated: z.exactOptional(z.literal(true)),
});

/** Tokens and money; `costUsd` is null when no price is known. */
export const usage = z.extend(tokenUsage, { costUsd: z.nullable(z.number()) });

/** A sentence in no language. `detent` has the words of each code in English, the page in Chinese. */
export const sentence = named(
  'Sentence',
  toOperators(
    'sentence',
    z.strictObject({
      /** Which sentence: `queued`, `max_steps`. */
      code: z.string(),
      /** What it speaks of. Durations are in milliseconds, times in milliseconds since the epoch. */
      get params(): z.ZodMiniRecord<z.ZodMiniString, z.ZodMiniType<SentenceValue>> {
        return z.record(z.string(), z.union([z.string(), z.number(), sentence, z.array(sentence)]));
      },
    }),
  ),
);

/** Why policy asks about a call, or lets it run. */
export const reason = about(
  z.exactOptional(sentence),
  'Which reason `why` gives, for other languages, with the rules that it overrode in `over`; left out for the words of a chart.',
);

/** Set by the gateway. */
const errorReason = about(
  z.exactOptional(sentence),
  'Which reason `message` gives, for other languages; left out where Detent has no code for its words.',
);

export const runError = toOperators(
  'error',
  z.object({ code: z.string(), message: z.string(), retryable: z.boolean(), reason: errorReason }),
);

/** The error of a list's entry. */
export const failure = toOperators(
  'error',
  z.strictObject({ code: z.string(), message: z.string(), reason: errorReason }),
);

/** A line of the list that an agent keeps of its own work. */
export const todoItem = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});

export const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** An answer: words, options that were chosen, or the values of a form. */
export const answer = z.union([z.string(), z.array(z.string()), z.record(z.string(), fieldValue)]);

/** One entry of a form. */
export const questionField = z.object({
  name: z.string(),
  type: z.enum(['text', 'number', 'integer', 'boolean']),
  title: z.exactOptional(z.string()),
  about: z.exactOptional(z.string()),
  /** Of `text`: the values there are to choose from, and what to call them. */
  options: z.exactOptional(z.array(z.object({ value: z.string(), title: z.exactOptional(z.string()) }))),
  /** Several of the options: the value is a list. */
  multiple: z.exactOptional(z.literal(true)),
  /** It may be left out. */
  optional: z.exactOptional(z.literal(true)),
  /** Taken where the answer leaves the field out. */
  default: z.exactOptional(fieldValue),
  /** Of `text`. */
  format: z.exactOptional(z.enum(['email', 'uri', 'date', 'date-time'])),
  /** Bounds of a number, of the characters of a text, of the count of several options; both included. */
  min: z.exactOptional(z.number()),
  max: z.exactOptional(z.number()),
});

/**
 * What a model or a tool asks the user: in free words, or one of `options` (any of them with `multiple`), or for a form's
 * `fields`.
 */
export const question = z.object({
  text: z.string(),
  options: z.exactOptional(z.array(z.string())),
  multiple: z.exactOptional(z.literal(true)),
  /** The answer is an object with a value for each. */
  fields: z.exactOptional(z.array(questionField)),
});
