import * as z from 'zod/mini';
import type { Caller } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { describeNoSuchField, marks, noSuchField } from '../../protocol/methods.ts';
import { didYouMean } from '../../text/wording.ts';
import { answerFor } from '../access/client-answers.ts';
import { asOwned } from '../access/owners.ts';
import { type Call, type Method, type Need, onlyReads } from '../methods/method.ts';
import { methods } from '../methods/methods.ts';

const byName: ReadonlyMap<string, Method> = new Map(methods.map((method) => [method.name, method]));

/** @throws DetentError `UNKNOWN_METHOD`. */
export function findMethod(name: string): Method {
  const found = byName.get(name);
  if (found) return found;
  const known = [...byName.keys()];
  throw new DetentError('UNKNOWN_METHOD', `there is no method of this name${didYouMean(name, known)}`, {
    details: { known },
  });
}

/**
 * Performs a method for a caller: checks what the caller may do, the input, and that the ids in it are the caller's own.
 *
 * @throws DetentError `FORBIDDEN`, `INVALID_REQUEST`, `NOT_FOUND`, and what the method throws.
 */
export async function dispatch(method: Method, call: Call, input: unknown): Promise<unknown> {
  refuseWithout(call.caller, method);
  const checked = check(method, input);
  refuseNeeds(call.caller, method.alsoNeeds?.(checked) ?? [], method);
  const giveOn = onlyReads(method) ? await call.readTurn() : null;
  try {
    const key = keyOf(method, checked);
    const answer =
      key === null
        ? await method.perform(call, await asOwned(method, call, checked))
        : await once(method, call, key, checked);
    return answerFor(call.caller, method.output, answer);
  } finally {
    giveOn?.();
  }
}

/** The key under which the answer of a request is stored. A run keeps its key itself, but a message to a run at work has none there. */
function keyOf({ keyed }: Method, { idempotencyKey: key, mode }: Record<string, unknown>): string | null {
  const isStored = keyed !== undefined && (keyed !== 'run' || mode === 'steer');
  return isStored && typeof key === 'string' ? key : null;
}

/**
 * Performs a request with a key once. A stored answer is returned without checking its subject, which may be deleted, so the
 * key counts only for callers with exactly the same rights.
 */
function once(
  method: Method,
  call: Call,
  key: string,
  { idempotencyKey: _key, ...body }: Record<string, unknown>,
): Promise<unknown> {
  const { tenantId, userId, maxRuns: _, ...rights } = call.caller;
  const principal = { tenantId, userId };
  const forThem = JSON.stringify([method.name, rights]);
  return call.detent.requests.once<unknown>(
    { key, name: forThem, body, principal, isRepeatable: true },
    async (requestId) => {
      const own = { ...call, requestId };
      return method.perform(own, await asOwned(method, own, body));
    },
    (effect) => (method.answerOf ? method.answerOf(call, effect, body) : effect),
  );
}

/** @throws DetentError `FORBIDDEN` when the caller lacks the scope of the method. */
export function refuseWithout(caller: Caller, { name, scope, talk }: Method): void {
  if (talk && caller.scopes.includes('talk')) return;
  refuseNeeds(caller, [{ scope, fields: [] }], { name });
}

/** @throws DetentError `FORBIDDEN` when the caller lacks one of the scopes. */
function refuseNeeds({ scopes }: Caller, needs: readonly Need[], { name }: Pick<Method, 'name'>): void {
  const lacking = needs.filter(({ scope }) => !scopes.includes(scope));
  if (lacking.length === 0) return;
  const missing = lacking.map(({ scope }) => scope);
  const fields = lacking.flatMap(({ fields }) => fields);
  const named = fields.map((field) => `"${field}"`).join(', ');
  const what = fields.length === 0 ? name : `${name} with ${named}`;
  throw new DetentError('FORBIDDEN', `${what} needs a token with the scope ${missing.join(' and ')}`, {
    details: { missing, ...(fields.length > 0 && { fields }) },
  });
}

/** Fields that hold free text and values for models, tools and people. All others are names, which are compared. */
const words: ReadonlySet<string> = new Set([
  ...[
    'prompt',
    'message',
    'editMessage',
    'system',
    'query',
    'words',
    'reason',
    'description',
    'result',
    'answer',
  ],
  ...['arguments', 'pattern', 'input', 'event', 'output', 'parameters', 'data', 'messages', 'instructions'],
]);

function problemsOf(issue: z.core.$ZodIssue, { input }: Method): { field: string; message: string }[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), message }];
  return issue.keys.map((key) => ({
    field: [...path, key].join('.'),
    message: describeNoSuchField(input, path, key),
  }));
}

function unknownFirst(a: { message: string }, b: { message: string }): number {
  return Number(b.message.startsWith(noSuchField)) - Number(a.message.startsWith(noSuchField));
}

function check(method: Method, input: unknown): Record<string, unknown> {
  const parsed = z.safeParse(method.input, input ?? {});
  if (parsed.success) {
    const field = illFormed(parsed.data, (name) => words.has(name));
    if (field === null) return parsed.data;
    throw new DetentError('INVALID_REQUEST', `${method.name}: "${field}": holds half of a surrogate pair`, {
      details: { field },
    });
  }
  // A field that a caller misspelt explains the one that is missing.
  const problems = parsed.error.issues
    .flatMap((issue) => problemsOf(issue, method))
    .toSorted(unknownFirst)
    .slice(0, 10);
  const [first] = problems;
  const place = first?.field ? `"${first.field}": ` : '';
  throw new DetentError('INVALID_REQUEST', `${method.name}: ${place}${first?.message ?? 'invalid'}`, {
    details: { problems },
  });
}

/** The JSON Schema of an input, an output or an event, for descriptions of the interface. */
export function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output') {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = (zodSchema as z.core.$ZodTypes)._zod;
      if (def.type !== 'object' || !jsonSchema.required) return;
      // Clients who only talk get none of these.
      jsonSchema.required = jsonSchema.required.filter(
        (name) => marks.get(def.shape[name] as z.core.$ZodType)?.isInside !== true,
      );
    },
  });
}

/**
 * The path of a text in a value of JSON, field names included, that holds half of a surrogate pair; null without one. SQLite
 * stores every half as U+FFFD, so that two such names would be one.
 */
function illFormed(value: unknown, isFree: (field: string) => boolean, path = ''): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [field, one] of Object.entries(value)) {
    const place = path === '' ? field : `${path}.${field}`;
    const found = field.isWellFormed() ? (isFree(field) ? null : illFormed(one, isFree, place)) : place;
    if (found !== null) return found.toWellFormed();
  }
  return null;
}
