import { type Caller, checkScopes, checkSight, checkTalker, isUserId } from '../../protocol/access.ts';
import { DetentError } from '../../protocol/error.ts';
import { isObject, refuseUnknownFields, shown } from '../../protocol/json.ts';
import { isTenantName } from '../../runtime/requests.ts';
import type { Authenticated } from '../gateway-options.ts';

/** What the fields are that no other part of Detent checks. */
const forms = {
  tenant: {
    fits: isTenantName,
    form: 'a name of lower-case letters, digits, ".", "_" and "-" with at least one letter, such as "shop-42"; the id of a tenant that you made is a number, in tenantId',
  },
  tenantId: { fits: isCount, form: 'a whole number from 1' },
  userId: {
    fits: (value) => value === null || isUserId(value),
    form: 'a text of 1 to 128 characters, or null for the whole tenant',
  },
  name: {
    fits: (value) => typeof value === 'string' && /^.{1,200}$/u.test(value),
    form: 'a text of 1 to 200 characters',
  },
  maxRuns: { fits: isCount, form: 'a whole number from 1' },
  expiresAt: { fits: isTime, form: 'whole milliseconds since 1970 (a JWT has seconds)' },
} satisfies Partial<Record<keyof Authenticated, { fits(value: unknown): boolean; form: string }>>;

const known = [...Object.keys(forms), 'scopes', 'sees', 'agents', 'workflows'];

/**
 * Checks the answer of a host's `authenticate`; an invalid answer lets no one in. An answer without a user is invalid
 * too: it would open the whole tenant to the client. So is one with an unknown field, which may stand for a restriction.
 *
 * @throws DetentError `INVALID_CALLER`, which names the field for the operator.
 */
export function checkAnswer(answer: unknown): Authenticated {
  if (!isObject(answer)) throw invalidCaller(`it is an object, or null for nobody, not ${shown(answer)}`);
  try {
    refuseUnknownFields(answer, known, 'it', 'INVALID_CALLER');
    const given = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined));
    if ('tenant' in given === 'tenantId' in given)
      throw new DetentError('INVALID_CALLER', 'it has one of tenant and tenantId, and not both');
    for (const [field, { fits, form }] of Object.entries(forms))
      if ((field === 'userId' || field in given) && !fits(given[field]))
        throw new DetentError('INVALID_CALLER', `${field} is ${form}, not ${shown(given[field])}`);
    const caller = {
      ...(given as unknown as Caller),
      scopes: checkScopes(given.scopes),
      ...checkSight(given),
    };
    checkTalker(caller);
    return caller;
  } catch (error) {
    throw DetentError.is(error) ? invalidCaller(error.message) : error;
  }
}

/** @param problem what is wrong, of which the operator alone reads. */
export function invalidCaller(problem: string): DetentError {
  return new DetentError(
    'INVALID_CALLER',
    `authenticate gave an invalid answer, so the client does not get in: ${problem}`,
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** Seconds of this century would be a time in 1970, so that no token would ever be valid. */
function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && !(Number(value) > 1e9 && Number(value) < 1e11);
}
