import { DetentError } from '../../protocol/error.ts';
import { isObject } from '../../protocol/json.ts';
import { oneOf, shown } from '../../protocol/one-of.ts';
import { nearestName } from '../../text/nearest-name.ts';
import type { RunRequest } from '../config/request.ts';

type Check = (value: unknown, name: string) => void;

const text: Check = (value, name) => must(typeof value === 'string', name, 'a text', value);
const name: Check = (value, field) =>
  must(
    typeof value === 'string' && value.isWellFormed(),
    field,
    'a text without half a surrogate pair',
    value,
  );
const flag: Check = (value, name) => must(typeof value === 'boolean', name, 'true or false', value);
const texts: Check = (value, name) => {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && one.isWellFormed());
  must(isList, name, 'a list of texts without half a surrogate pair', value);
};
const list: Check = (value, name) => must(Array.isArray(value), name, 'a list', value);
const object: Check = (value, name) => must(isObject(value), name, 'an object', value);
const word =
  (...known: string[]): Check =>
  (value, name) =>
    oneOf(value, known, `${name} of a run`, 'INVALID_REQUEST');

/** The check of each field. `limits` are checked as those of the configuration are. */
const checks: Readonly<Record<keyof RunRequest, Check>> = {
  session: name,
  after: name,
  idempotencyKey: name,
  requestId: text,
  mode: word('queue', 'steer', 'interrupt'),
  agent: name,
  model: name,
  baseUrl: text,
  apiKeyEnv: text,
  api: word('chat', 'responses', 'messages'),
  system: text,
  tools: texts,
  clientTools: list,
  clientCalls: word('one', 'many'),
  skills: texts,
  approve: word('ask', 'all', 'none'),
  mayApprove: flag,
  byAdmin: flag,
  output: object,
  limits: object,
  budget: name,
  cache: flag,
  stream: flag,
  attachments: list,
  metadata: checkMetadata,
  principal: checkPrincipal,
  by: text,
};

/**
 * Checks the fields of a run's request, which a program without types can fill with anything. An absent field has its
 * default; an unknown one, and `null`, is an error, because a restriction may be meant.
 *
 * @throws DetentError `INVALID_REQUEST`.
 */
export function checkFields(request: RunRequest): void {
  must(isObject(request), 'the request', 'an object', request);
  for (const [name, value] of Object.entries(request)) {
    if (!Object.hasOwn(checks, name)) throw unknownField(name);
    if (value !== undefined) checks[name as keyof RunRequest](value, name);
  }
  const { after, session, mode = 'queue' } = request;
  if (after !== undefined && (session !== undefined || mode !== 'queue'))
    throw new DetentError(
      'INVALID_REQUEST',
      '"after" of a run says where its conversation goes on: leave out "session", and any "mode" but "queue"',
    );
}

function checkPrincipal(value: unknown): void {
  object(value, 'principal');
  const { tenantId, userId, claims } = value as { tenantId?: unknown; userId?: unknown; claims?: unknown };
  if (tenantId !== undefined)
    must(Number.isSafeInteger(tenantId), 'principal.tenantId', 'a whole number', tenantId);
  if (userId !== undefined && userId !== null) name(userId, 'principal.userId');
  if (claims === undefined) return;
  object(claims, 'principal.claims');
  for (const [name, claim] of Object.entries(claims as object)) text(claim, `principal.claims.${name}`);
}

/** As much as OpenAI's own interface takes, in characters. */
const maxMetadata = { entries: 16, name: 64, value: 512 };

function checkMetadata(value: unknown): void {
  object(value, 'metadata');
  const entries = Object.entries(value as object);
  for (const [name, word] of entries) text(word, `metadata.${name}`);
  const { entries: most, name: longestName, value: longest } = maxMetadata;
  const isShort = entries.every(([name, word]) => name.length <= longestName && word.length <= longest);
  if (entries.length > most || !isShort)
    throw new DetentError(
      'INVALID_REQUEST',
      `metadata of a run has at most ${most} entries, with names of at most ${longestName} and values of at most ${longest} characters`,
    );
}

function must(holds: boolean, name: string, expected: string, value: unknown): void {
  if (!holds)
    throw new DetentError('INVALID_REQUEST', `${name} of a run is ${expected}, not ${shown(value)}`);
}

function unknownField(name: string): DetentError {
  const nearest = nearestName(name, Object.keys(checks));
  const hint = nearest ? `; did you mean "${nearest}"?` : '';
  return new DetentError('INVALID_REQUEST', `a run has no field ${shown(name)}${hint}`);
}
