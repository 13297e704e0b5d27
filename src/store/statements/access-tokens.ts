import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, isNull, one, valuesOf } from '../query/query.ts';
import type { AccessTokenRow } from '../rows.ts';

const tokens = (k: Kysely<Database>) => k.selectFrom('access_tokens').select(columnsOf('access_tokens'));

/** Tokens that let clients in. One is found by its id alone, because the token says of which tenant its client is. */
export const accessTokenStatements = {
  insertAccessToken: change<Omit<AccessTokenRow, 'revokedAt'>>((k, p) =>
    k
      .insertInto('access_tokens')
      .values({ ...valuesOf('access_tokens', p, ['revoked_at']), revoked_at: null }),
  ),
  findAccessToken: one<{ id: string }, AccessTokenRow>((k, p) => tokens(k).where('id', '=', p.id)),
  /** Oldest first; null for those of all tenants. */
  listAccessTokens: all<{ tenant: number | null }, AccessTokenRow>((k, p) =>
    tokens(k)
      .where(sql<boolean>`(${isNull(p.tenant, 'bigint')} or tenant_id = ${p.tenant})`)
      .orderBy('created_at')
      .orderBy('id'),
  ),
  /** How many have been revoked, or have expired by now, and how many users are gone. Without those that have exactly these scopes. */
  countEndedAccessTokens: one<{ now: number; except: string }, { ended: number }>((k, p) =>
    k
      .selectFrom('access_tokens')
      .select((e) =>
        e(
          e.fn.countAll<number>(),
          '+',
          e.selectFrom('leavings').select((l) => l.fn.countAll<number>().as('gone')),
        ).as('ended'),
      )
      .where('scopes', '!=', p.except)
      .where((e) => e.or([e('revoked_at', 'is not', null), e('expires_at', '<=', p.now)])),
  ),
  /** Deletes those that have exactly these scopes and have expired. */
  deleteExpiredAccessTokens: change<{ scopes: string; now: number }>((k, p) =>
    k.deleteFrom('access_tokens').where('scopes', '=', p.scopes).where('expires_at', '<=', p.now),
  ),
  /** 0 if it was revoked before, is of another tenant, or is not there. */
  revokeAccessToken: change<{ id: string; tenant: number; at: number }>((k, p) =>
    k
      .updateTable('access_tokens')
      .set({ revoked_at: p.at })
      .where('id', '=', p.id)
      .where('tenant_id', '=', p.tenant)
      .where('revoked_at', 'is', null),
  ),
  /**
   * Counts a failed attempt to log in, in one statement, so that no two gateways count from the same row: 0 if the address has no
   * attempt left.
   *
   * @param latest when an address that has one attempt left has all of them again
   * @param beyond a row that is further ahead is of a clock that was set back, and counts for nothing
   */
  countLoginFailure: change<{ source: string; now: number; stepMs: number; latest: number; beyond: number }>(
    (k, p) =>
      k
        .insertInto('login_failures')
        .values({ source: p.source, full_at: sql<number>`cast(${p.now} as bigint) + ${p.stepMs}` })
        .onConflict((c) =>
          c
            .column('source')
            .doUpdateSet({
              full_at: sql<number>`case when login_failures.full_at between ${p.now} and ${p.beyond}
                then login_failures.full_at else cast(${p.now} as bigint) end + ${p.stepMs}`,
            })
            .where(
              sql<boolean>`(login_failures.full_at <= ${p.latest} or login_failures.full_at > ${p.beyond})`,
            ),
        ),
  ),
  /** Deletes those of addresses that may try as often as ever. */
  deleteLoginFailures: change<{ now: number }>((k, p) =>
    k.deleteFrom('login_failures').where('full_at', '<=', p.now),
  ),
};
