import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { DetentError } from './error.ts';

z.config(en());

const positive = z.number().check(z.gt(0));
const count = z.number().check(z.int(), z.gt(0));
const price = z.strictObject({
  inputUsd: z.number().check(z.gte(0)),
  cachedInputUsd: z.optional(z.number().check(z.gte(0))),
  outputUsd: z.number().check(z.gte(0)),
});
const provider = z.strictObject({
  baseUrl: z.optional(z.url()),
  apiKeyEnv: z.optional(z.string().check(z.minLength(1))),
  headers: z.optional(z.record(z.string(), z.string())),
  models: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        contextWindow: z.optional(count),
        maxOutputTokens: z.optional(count),
        price: z.optional(price),
      }),
    ),
  ),
});

/** A value that a program brings: checked for the one method that makes it what it is. */
const withMethod = (method: string, what: string) =>
  z.custom(
    (value) => typeof (value as Record<string, unknown> | null)?.[method] === 'function',
    `expected ${what}`,
  );

const schema = z.strictObject({
  model: z.optional(z.string().check(z.regex(/^[^/]+\/.+$/, 'expected provider/model'))),
  system: z.optional(z.string()),
  models: z.optional(z.record(z.string(), z.union([withMethod('generate', 'a ChatModel'), provider]))),
  tools: z.optional(
    z.strictObject({
      define: z.optional(z.array(withMethod('run', 'a tool made with defineTool'))),
      allowed: z.optional(z.array(z.string())),
    }),
  ),
  policy: z.optional(
    z.strictObject({
      approve: z.optional(z.enum(['ask', 'all', 'none'])),
      confirm: z.optional(z.record(z.string(), z.boolean())),
    }),
  ),
  limits: z.optional(
    z.strictObject({
      maxSteps: z.optional(count),
      maxTokens: z.optional(count),
      maxRetries: z.optional(z.number().check(z.int(), z.gte(0))),
      timeoutMs: z.optional(positive),
      maxPromptBytes: z.optional(count),
      maxErrors: z.optional(count),
      maxRepeats: z.optional(count),
      parallelCalls: z.optional(count),
      confirmExpiryMs: z.optional(positive),
      reconcileExpiryMs: z.optional(positive),
      queueExpiryMs: z.optional(positive),
    }),
  ),
  database: z.optional(
    z.strictObject({
      file: z.optional(z.string().check(z.minLength(1))),
      synchronous: z.optional(z.enum(['FULL', 'NORMAL'])),
      groupCommit: z.optional(z.boolean()),
      maxPages: z.optional(count),
    }),
  ),
  secrets: z.optional(z.array(z.string())),
});

/** What a configuration may say of limits; each has a default. */
export type LimitsConfig = NonNullable<z.infer<typeof schema>['limits']>;
export type DatabaseConfig = NonNullable<z.infer<typeof schema>['database']>;
export type PolicyConfig = NonNullable<z.infer<typeof schema>['policy']>;
/** The configuration as far as zod can type it; `Config` of the package gives tools and models their types. */
export type PlainConfig = z.infer<typeof schema>;

/**
 * Checks a configuration.
 *
 * @param where what to call it in the message: a file, or `createDetent`.
 * @throws DetentError `INVALID_CONFIG`, naming every bad field by its path.
 */
export function checkConfig(config: unknown, where: string): PlainConfig {
  const result = schema.safeParse(config);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) => describe(issue, []));
  throw new DetentError('INVALID_CONFIG', `${where} is not valid: ${problems.join('; ')}`, {
    details: { where, problems },
  });
}

interface Issue {
  code?: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
  errors?: readonly (readonly Issue[])[];
}

/** One line for each bad field, with its path from the top. */
function describe(issue: Issue, above: readonly PropertyKey[]): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys' && issue.keys)
    return issue.keys.map((key) => `${[...path, key].map(String).join('.')}: there is no such field`);
  // Of a union the last branch is the one that people write by hand.
  const branch = issue.code === 'invalid_union' ? issue.errors?.at(-1) : undefined;
  if (branch && branch.length > 0) return branch.flatMap((inner) => describe(inner, path));
  return [path.length === 0 ? issue.message : `${path.map(String).join('.')}: ${issue.message}`];
}
