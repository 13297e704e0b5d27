import { approvals, clientCallCounts, modelApis, runModes } from '../../protocol/enums.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, oneOf, refuseUnknownFields, shown } from '../../protocol/json.ts';
import { own } from '../../text/wording.ts';
import type { RunRequest } from '../config/request.ts';

/** What a value must be, as in "mode of a run is …", or the words of which it is one. */
type Rule = { what: string; holds(value: unknown): boolean } | { words: readonly string[] };

const isText = (value: unknown) => typeof value === 'string';
const isName = (value: unknown) => typeof value === 'string' && value.isWellFormed();

const text: Rule = { what: 'a text', holds: isText };
const name: Rule = { what: 'a text without half a surrogate pair', holds: isName };
const texts: Rule = {
  what: 'a list of texts without half a surrogate pair',
  holds: (value) => Array.isArray(value) && value.every(isName),
};
const flag: Rule = { what: 'true or false', holds: (value) => typeof value === 'boolean' };
const list: Rule = { what: 'a list', holds: Array.isArray };
const object: Rule = { what: 'an object', holds: isObject };

/** A field that is left out has its default. */
const fields: Record<keyof RunRequest, Rule> = {
  sessionId: name,
  after: name,
  idempotencyKey: name,
  requestId: text,
  mode: { words: runModes },
  agent: name,
  model: name,
  baseUrl: text,
  apiKeyEnv: text,
  api: { words: modelApis },
  system: text,
  tools: texts,
  clientTools: list,
  clientCalls: { words: clientCallCounts },
  skills: texts,
  approve: { words: approvals },
  mayApprove: flag,
  byAdmin: flag,
  output: object,
  limits: object,
  budget: name,
  cache: flag,
  stream: flag,
  attachments: list,
  metadata: object,
  principal: object,
  by: text,
};
const fieldsOfPrincipal: Record<keyof NonNullable<RunRequest['principal']>, Rule> = {
  tenantId: { what: 'a whole number', holds: Number.isSafeInteger },
  userId: { ...name, holds: (value) => value === null || isName(value) },
  claims: object,
};

/** The limits of OpenAI's interface, in characters. */
const most = { entries: 16, name: 64, value: 512 };

/**
 * Checks the fields of a run's request, which a program without types can fill with anything. An absent field has its
 * default; an unknown one, and `null`, is an error, because a restriction may be meant.
 *
 * @throws DetentError `INVALID_REQUEST`.
 */
export function checkFields(asked: RunRequest): void {
  check('the request', asked, object);
  refuseUnknownFields(asked, Object.keys(fields), 'a run', 'INVALID_REQUEST');
  checkEach('', asked, fields);
  const { metadata = {}, principal = {}, after, sessionId, mode } = asked;
  checkEach('principal.', principal, fieldsOfPrincipal);
  for (const [key, value] of Object.entries(principal.claims ?? {}))
    check(`principal.claims.${key}`, value, text);
  for (const [key, value] of Object.entries(metadata)) check(`metadata.${key}`, value, text);
  const entries = Object.entries(metadata);
  const isShort = entries.every(([name, value]) => name.length <= most.name && value.length <= most.value);
  if (!isShort || entries.length > most.entries)
    throw invalid(
      `metadata of a run has at most ${most.entries} entries, with names of at most ${most.name} and values of at most ${most.value} characters`,
    );
  if (after !== undefined && (sessionId !== undefined || (mode !== undefined && mode !== 'queue')))
    throw invalid(
      '"after" of a run says where its conversation goes on: leave out "sessionId", and any "mode" but "queue"',
    );
}

function checkEach(path: string, values: object, rules: Readonly<Record<string, Rule>>): void {
  for (const [field, value] of Object.entries(values)) {
    const rule = own(rules, field);
    if (rule && value !== undefined) check(`${path}${field}`, value, rule);
  }
}

function check(what: string, value: unknown, rule: Rule): void {
  if ('words' in rule) oneOf(value, rule.words, `${what} of a run`, 'INVALID_REQUEST');
  else if (!rule.holds(value)) throw invalid(`${what} of a run is ${rule.what}, not ${shown(value)}`);
}

function invalid(message: string): DetentError {
  return new DetentError('INVALID_REQUEST', message);
}
