import { type Kysely, sql } from 'kysely';
import type { EventStatements } from '../../statements/events.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const events = (k: Kysely<Database>) =>
  k.selectFrom('run_events').select(['run_pk as run', 'seq', 'type', 'body', 'at', 'path', 'hash']);

// Numbers are bound as floating point: as text, "1.0".
const feedName = (tenant: number) => sql<string>`${sql.lit('feed ')} || cast(${tenant} as integer)`;

/** The last place in the feed of a tenant that any transition has, or had; null before the feed has begun. */
const lastPlace = (k: Kysely<Database>, tenant: number) => {
  const greatest = k
    .selectFrom('run_events')
    .select((e) => e.fn.max('pos').as('pos'))
    .where('tenant_id', '=', tenant)
    .where('pos', 'is not', null);
  const deleted = k.selectFrom('deleted_keys').select('pk').where('name', '=', feedName(tenant));
  return sql<number>`max(ifnull(${greatest}, 0), ${deleted})`;
};

export const eventQueries = {
  insertEvent: [
    'run',
    (k, p) =>
      k.insertInto('run_events').values({
        run_pk: p.run,
        seq: p.seq,
        tenant_id: p.tenant,
        type: p.type,
        body: p.body,
        at: p.at,
        path: p.path,
        hash: p.hash,
        dedupe_key: p.key,
        pos: sql<number | null>`case ${p.inFeed} when 1 then 1 + ${lastPlace(k, p.tenant)} end`,
      }),
  ],
  copyEvents: [
    'run',
    (k, p) =>
      k
        .insertInto('run_events')
        .columns(['run_pk', 'seq', 'tenant_id', 'type', 'body', 'at', 'path', 'hash'])
        .expression((e) =>
          e
            .selectFrom('run_events')
            .select([
              sql<number>`${p.run}`.as('run'),
              'seq',
              sql<number>`${p.tenant}`.as('tenant'),
              ...(['type', 'body', 'at', 'path', 'hash'] as const),
            ])
            .where('run_pk', '=', p.from)
            .where('seq', '<=', p.upTo),
        ),
  ],
  feedHead: [
    'get',
    (k, p) =>
      k
        .selectFrom('deleted_keys')
        .select(lastPlace(k, p.tenant).as('pos'))
        .where('name', '=', feedName(p.tenant)),
  ],
  beginFeed: [
    'run',
    (k, p) =>
      k
        .insertInto('deleted_keys')
        .values({ name: feedName(p.tenant), pk: sql.lit(0) })
        .onConflict((row) => row.doNothing()),
  ],
  listFeed: [
    'all',
    (k, p) =>
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
        .where(sql<boolean>`(${p.user} is null or sessions.user_id = ${p.user})`)
        .orderBy('run_events.pos'),
  ],
  findEventByKey: [
    'get',
    (k, p) =>
      k.selectFrom('run_events').select('seq').where('run_pk', '=', p.run).where('dedupe_key', '=', p.key),
  ],
  listPaths: [
    'all',
    (k, p) =>
      k
        .selectFrom(sql`json_each(${p.places})`.as('place'))
        .innerJoin('run_events', (join) =>
          join
            .on(sql<boolean>`run_events.run_pk = place.value ->> 0`)
            .on(sql<boolean>`run_events.seq = place.value ->> 1`),
        )
        .select(['run_events.run_pk as run', 'run_events.seq', 'run_events.at', 'run_events.path'])
        .orderBy('run_events.run_pk')
        .orderBy('run_events.seq'),
  ],
  listMessengers: [
    'all',
    (k, p) =>
      k
        .selectFrom('run_events')
        .select(sql<string>`json_extract(body, '$.by')`.as('by'))
        .where('run_pk', '=', p.run)
        .where('type', '=', sql.lit('run.message'))
        .where(sql<boolean>`json_extract(body, '$.by') is not null`)
        .groupBy('by')
        .orderBy('by'),
  ],
  listEvents: [
    'page',
    (k, p) => events(k).where('run_pk', '=', p.run).where('seq', '>', p.after).orderBy('seq').limit(p.limit),
  ],
  listFoldStarts: [
    'all',
    (k, p) =>
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
  ],
} satisfies Queries<EventStatements>;
