import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { add, all, change, columnsOf, one, valuesOf } from '../../src/store/query/query.ts';
import type { Row, Scoped } from '../../src/store/rows.ts';
import { tables } from '../../src/store/schema/tables.ts';
import { migrate } from '../../src/store/sql/migrate.ts';

it('a statement does not compile with an input or an answer that its query does not have', () => {
  const planted = [
    all<{ run: number }, Row<'timers'>>((k, p) =>
      k.selectFrom('timers').select(columnsOf('timers')).where('run_pk', '=', p.run),
    ),
    one<{ run: number }, Row<'confirmations'> & { by: string }>((k) =>
      // @ts-expect-error the query does not select who asked
      k.selectFrom('confirmations').select(columnsOf('confirmations')),
    ),
    // @ts-expect-error a run's number is no text
    one<{ run: number }, { run: string }>((k) => k.selectFrom('timers').select('run_pk as run')),
    // @ts-expect-error the input has no session
    change<{ run: number }>((k, p) => k.deleteFrom('timers').where('run_pk', '=', p.session)),
    // @ts-expect-error there is no such column
    all<object, { pk: number }>((k) => k.selectFrom('timers').select('pk')),
    change<Scoped & Omit<Row<'timers'>, 'event'>>((k, p) =>
      // @ts-expect-error a timer has an event
      k.insertInto('timers').values(valuesOf('timers', p)),
    ),
    // @ts-expect-error the tenant is not said
    change<Row<'timers'>>((k, p) => k.insertInto('timers').values(valuesOf('timers', p))),
    change<Row<'effects'> & Scoped>((k, p) =>
      // @ts-expect-error nothing gives the status, and when it was made
      k.insertInto('effects').values(valuesOf('effects', p, ['status'])),
    ),
    add<Row<'uploads'> & Scoped, { id: string }>((k, p) =>
      k.insertInto('uploads').values(valuesOf('uploads', p)).returning('id'),
    ),
  ];
  expect(planted.map(({ kind }) => kind)).toEqual([
    'all',
    'get',
    'get',
    'run',
    'all',
    'run',
    'run',
    'run',
    'get',
  ]);
});

it('a row has the names of its table’s columns, without those that are the store’s own', () => {
  expect(columnsOf('job_fires')).toEqual([
    'job_fires.n',
    'job_fires.slot',
    'job_fires.kind',
    'job_fires.status',
    'job_fires.reason',
    'job_fires.run_id as runId',
    'job_fires.error',
    'job_fires.begun_at as begunAt',
    'job_fires.ended_at as endedAt',
  ]);
  expect(columnsOf('sessions', ['key', 'created_at'])).toEqual([
    'sessions.pk',
    'sessions.user_id as user',
    'sessions.head_run as headRun',
    'sessions.head_seq as headSeq',
    'sessions.pruned_run as prunedRun',
    'sessions.pruned_seq as prunedSeq',
    'sessions.title',
    'sessions.pinned',
  ]);
});

it('the listed columns are those that the migrations make', () => {
  const db = new Sqlite(':memory:');
  migrate(db, ':memory:');
  const made = (table: string) =>
    db.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[];
  for (const [table, columns] of Object.entries(tables))
    expect([table, Object.keys(columns).sort()]).toEqual([table, made(table).sort()]);
  db.close();
});
