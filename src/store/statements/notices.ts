import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import { all, change, columnsOf, isNull, one, valuesOf } from '../query/query.ts';
import type { NoticeRow, Scoped } from '../rows.ts';

type OfNotice = Scoped & Pick<NoticeRow, 'id'>;

const notices = (k: Kysely<Database>) => k.selectFrom('notices').select(columnsOf('notices'));

/** What the host is told of runs. */
export const noticeStatements = {
  /** Up to where notices were made of the feed of a tenant. */
  noticePlace: one<Scoped, { pos: number }>(
    (k, p) => k.selectFrom('notice_places').select('pos').where('tenant_id', '=', p.tenant),
    'no key update',
  ),
  putNoticePlace: change<Scoped & { pos: number }>((k, p) =>
    k
      .insertInto('notice_places')
      .values({ tenant_id: p.tenant, pos: p.pos })
      .onConflict((c) => c.column('tenant_id').doUpdateSet({ pos: p.pos })),
  ),
  /** Of one that is there already nothing changes. */
  insertNotice: change<Omit<NoticeRow, 'attempt' | 'error' | 'status'> & Scoped>((k, p) =>
    k
      .insertInto('notices')
      .values({
        ...valuesOf('notices', p, ['attempt', 'error', 'status']),
        status: sql.lit('pending'),
        attempt: sql.lit(0),
      })
      .onConflict((c) => c.doNothing()),
  ),
  /** Of all tenants, those that are due longest first. */
  listDueNotices: all<{ now: number; limit: number }, NoticeRow & { tenant: number }>((k, p) =>
    notices(k)
      .select('tenant_id as tenant')
      .where('status', '=', sql.lit('pending'))
      .where('due_at', '<=', p.now)
      .orderBy('due_at')
      .limit(p.limit),
  ),
  /** Newest first; null for those of all tenants. */
  listNotices: all<{ tenant: number | null; limit: number }, NoticeRow>((k, p) =>
    notices(k)
      .where(sql<boolean>`(${isNull(p.tenant, 'bigint')} or tenant_id = ${p.tenant})`)
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(p.limit),
  ),
  /** Of all tenants, those whose last attempt failed, newest first. */
  listFailingNotices: all<{ limit: number }, NoticeRow>((k, p) =>
    notices(k)
      .where((e) =>
        e.or([
          e('status', '=', sql.lit('dead')),
          e.and([e('status', '=', sql.lit('pending')), e('attempt', '>', sql.lit(0))]),
        ]),
      )
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(p.limit),
  ),
  nextNotice: one<Record<string, never>, { dueAt: number }>((k) =>
    k
      .selectFrom('notices')
      .select('due_at as dueAt')
      .where('status', '=', sql.lit('pending'))
      .orderBy('due_at')
      .limit(sql.lit(1)),
  ),
  /** Begins an attempt, which has until `until`. 0 if another process began it. */
  beginNotice: change<OfNotice & { dueAt: number; until: number }>((k, p) =>
    k
      .updateTable('notices')
      .set((e) => ({ due_at: p.until, attempt: e('attempt', '+', sql.lit(1)) }))
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id)
      .where('status', '=', sql.lit('pending'))
      .where('due_at', '=', p.dueAt),
  ),
  settleNotice: change<OfNotice & Pick<NoticeRow, 'status' | 'error' | 'dueAt'>>((k, p) =>
    k
      .updateTable('notices')
      .set({ status: p.status, error: p.error, due_at: p.dueAt })
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id),
  ),
  /** Deletes those of all tenants that are over, and were made before. */
  deleteNoticesBefore: change<{ at: number }>((k, p) =>
    k.deleteFrom('notices').where('status', '<>', sql.lit('pending')).where('at', '<', p.at),
  ),
};
