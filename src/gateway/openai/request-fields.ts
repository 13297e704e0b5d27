import * as z from 'zod/mini';
import { invalidRequest } from './conversation.ts';

/** Fields of requests that both protocols have. */

export const sessionFields = {
  user: z.nullish(z.string().check(z.maxLength(200))),
  safety_identifier: z.nullish(z.string().check(z.maxLength(200))),
  metadata: z.nullish(z.record(z.string(), z.string().check(z.maxLength(512)))),
};

export type SessionFields = z.output<z.ZodMiniObject<typeof sessionFields>>;

/** Fields of both protocols that are accepted but ignored. */
export const ignoredFields = ignored([
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
  'store',
  'temperature',
  'top_logprobs',
  'top_p',
]);

/** A field that is accepted but ignored, because the agent's configuration decides. */
export function ignored<Name extends string>(
  names: readonly Name[],
): Record<Name, z.ZodMiniOptional<z.ZodMiniUnknown>> {
  const anything = z.optional(z.unknown()).check(z.describe('Taken, and without effect.'));
  return Object.fromEntries(names.map((name) => [name, anything])) as Record<Name, typeof anything>;
}

/** @throws DetentError `INVALID_REQUEST` for an unsupported field that would change the meaning of the answer. */
export function refuseGiven(given: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) {
    const value = given[name];
    const isEmpty = value == null || value === false || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) throw invalidRequest(`an agent cannot take "${name}": leave it out`, name);
  }
}

/** JSON Schema that the answer must fit. */
export type OutputFormat = Record<string, unknown>;

export function outputOf(
  format: { type: 'text' | 'json_object' } | { type: 'json_schema'; schema: OutputFormat } | null | undefined,
): OutputFormat | undefined {
  if (format?.type === 'json_schema') return format.schema;
  return format?.type === 'json_object' ? { type: 'object' } : undefined;
}
