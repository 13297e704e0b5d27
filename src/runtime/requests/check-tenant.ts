import { DetentError } from '../../protocol/error.ts';
import type { Statements } from '../../store/statements.ts';
import type { Store } from '../../store/store.ts';

const validName = /^(?=.*[a-z._-])[a-z0-9][a-z0-9._-]{0,63}$/;

export function isTenantName(name: unknown): name is string {
  return typeof name === 'string' && validName.test(name);
}

/**
 * Checks the name of a new tenant. It has a letter, so that a word is a name or an id, never both.
 *
 * @throws DetentError `INVALID_TENANT`.
 */
export function checkTenantName(name: unknown): asserts name is string {
  if (isTenantName(name)) return;
  throw new DetentError(
    'INVALID_TENANT',
    `${JSON.stringify(name)} cannot be the name of a tenant: 1 to 64 lower-case letters, digits, ".", "_" and "-", beginning with a letter or digit, and not a number`,
  );
}

export function unknownTenant(tenant: number | string): DetentError {
  return new DetentError(
    'UNKNOWN_TENANT',
    `there is no tenant ${JSON.stringify(tenant)}; "detent tenant list" names them, and "detent tenant create NAME" makes one`,
    { details: { tenant } },
  );
}

/** @throws DetentError `UNKNOWN_TENANT`. */
export async function requireTenant(
  store: Store<Pick<Statements, 'findTenant'>>,
  tenant: number,
): Promise<void> {
  if (!(await store.query('findTenant', { tenant }))) throw unknownTenant(tenant);
}
