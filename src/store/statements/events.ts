import { type Kysely, sql } from 'kysely';
import type { Database } from '../query/database.ts';
import type { Dialect } from '../query/dialect.ts';
import { all, change, columnsOf, isNull, one, page, valuesOf } from '../query/query.ts';
import type { EventRow, FeedRow, PageLimit, Scoped } from '../rows.ts';

const events = (k: Kysely<Database>) => k.selectFrom('run_events').select(columnsOf('run_events'));

// Numbers are bound as floating point: as text, "1.0".
const feedName = (tenant: never) => sql<string>`${sql.lit('feed ')} || cast(${tenant} as bigint)`;

/** The last place in the feed of a tenant that any transition has, or had; no row before the feed has begun. */
function lastPlace(k: Kysely<Database>, tenant: never, { greater }: Dialect) {
  const greatest = k
    .selectFrom('run_events')
    .select((e) => e.fn.max('pos').as('pos'))
    .where('tenant_id', '=', tenant)
    .where('pos', 'is not', null);
  return k
    .selectFrom('deleted_keys')
    .select(greater(sql`coalesce(${greatest}, 0)`, sql.ref('deleted_keys.pk')).as('pos'))
    .where('name', '=', feedName(tenant));
}

/** The log of a run. */
export const eventStatements = {
  /**
   * `inFeed`: 1 puts the transition behind all others in the feed of its tenant, if that has begun. What is imported or copied has no
   * place there.
   */
  insertEvent: change<EventRow & Scoped & { inFeed: 0 | 1 }>((k, p, d) =>
    k.insertInto('run_events').values({
      ...valuesOf('run_events', p),
      pos: sql<
        number | null
      >`case when ${p.inFeed} = 1 then ${d.nextPlace(p.tenant, lastPlace(k, p.tenant, d))} end`,
    }),
  ),
  /** Copies the log of a run up to a transition. */
  copyEvents: change<{ from: number; run: number; upTo: number } & Scoped>((k, p) =>
    k
      .insertInto('run_events')
      .columns(['run_pk', 'seq', 'tenant_id', 'type', 'body', 'at', 'path', 'hash'])
      .expression((e) =>
        e
          .selectFrom('run_events')
          .select([
            sql<number>`cast(${p.run} as bigint)`.as('run'),
            'seq',
            sql<number>`cast(${p.tenant} as bigint)`.as('tenant'),
            ...(['type', 'body', 'at', 'path', 'hash'] as const),
          ])
          .where('run_pk', '=', p.from)
          .where('seq', '<=', p.upTo),
      ),
  ),
  /**
   * The newest position of a tenant; undefined before its feed has begun. Positions are in the order of commits. With one writer at a time that is the next
   * number; a store with several must see to it that numbers become visible in their order, or a reader that saw a later one never
   * sees an earlier one. Those of deleted runs are not given again.
   */
  feedHead: one<Scoped, { pos: number }>((k, p, d) => lastPlace(k, p.tenant, d)),
  /** From now on transitions get places: those of a tenant whose feed nobody has asked for would cost each step a page more. */
  beginFeed: change<Scoped>((k, p) =>
    k
      .insertInto('deleted_keys')
      .values({ name: feedName(p.tenant), pk: sql.lit(0) })
      .onConflict((row) => row.doNothing()),
  ),
  /** Behind `after` up to `upTo`, without jobs; a null user gets those of the whole tenant. */
  listFeed: all<Scoped & { user: string | null; after: number; upTo: number }, FeedRow>((k, p) =>
    k
      .selectFrom('run_events')
      .innerJoin('runs', 'runs.pk', 'run_events.run_pk')
      .innerJoin('sessions', 'sessions.pk', 'runs.session_pk')
      .select([
        sql<number>`run_events.pos`.as('pos'),
        'run_events.seq',
        'run_events.type',
        'run_events.at',
        'run_events.path',
        'runs.id as runId',
        'sessions.key as sessionKey',
        'runs.machine',
        sql<0 | 1>`case when runs.ended = 1 and runs.seq = run_events.seq then 1 else 0 end`.as('ended'),
      ])
      .where('run_events.tenant_id', '=', p.tenant)
      .where('run_events.pos', '>', p.after)
      .where('run_events.pos', '<=', p.upTo)
      .where('runs.machine', '<>', sql.lit('job'))
      .where(sql<boolean>`(${isNull(p.user, 'text')} or sessions.user_id = ${p.user})`)
      .orderBy('run_events.pos'),
  ),
  /** Times and paths of single transitions. `places`: JSON, a list of pairs of a run's `pk` and a seq. By run and seq. */
  listPaths: all<{ places: string }, Pick<EventRow, 'run' | 'seq' | 'at' | 'path'>>((k, p, { pairs }) =>
    k
      .selectFrom(pairs(p.places).as('place'))
      .innerJoin('run_events', (join) =>
        join.onRef('run_events.run_pk', '=', 'place.first').onRef('run_events.seq', '=', 'place.second'),
      )
      .select(['run_events.run_pk as run', 'run_events.seq', 'run_events.at', 'run_events.path'])
      .orderBy('run_events.run_pk')
      .orderBy('run_events.seq'),
  ),
  /** Who sent the run a message, once each. */
  listMessengers: all<{ run: number }, { by: string }>((k, p, { jsonField }) =>
    k
      .selectFrom('run_events')
      .select(jsonField('body', 'by').$notNull().as('by'))
      .where('run_pk', '=', p.run)
      .where('type', '=', sql.lit('run.message'))
      .where(jsonField('body', 'by'), 'is not', null)
      .groupBy('by')
      .orderBy('by'),
  ),
  /** Transitions, oldest first. `src/engine/log/read-log.ts` reads a log of unknown length, page after page. */
  listEvents: page<{ run: number; after: number; limit: number } & PageLimit, EventRow>((k, p) =>
    events(k).where('run_pk', '=', p.run).where('seq', '>', p.after).orderBy('seq').limit(p.limit),
  ),
  /** The first transition of a run, and its migrations: where a fold of the log can begin. */
  listFoldStarts: all<{ run: number }, EventRow>((k, p) =>
    events(k)
      .where('run_pk', '=', p.run)
      .where((e) =>
        e.or([
          e('seq', '=', (log) =>
            log
              .selectFrom('run_events as log')
              .select((first) => first.fn.min('log.seq').as('seq'))
              .where('log.run_pk', '=', p.run),
          ),
          e('type', '=', sql.lit('run.migrated')),
        ]),
      )
      .orderBy('seq'),
  ),
};
