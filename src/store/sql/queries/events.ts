import { sql } from 'kysely';
import type { EventStatements } from '../../statements/events.ts';
import type { Queries } from './query.ts';

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
      }),
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
  listEvents: [
    'all',
    (k, p) =>
      k
        .selectFrom('run_events')
        .select(['run_pk as run', 'seq', 'type', 'body', 'at', 'path', 'hash'])
        .where('run_pk', '=', p.run)
        .where('seq', '>', p.after)
        .orderBy('seq')
        .limit(p.limit),
  ],
} satisfies Queries<EventStatements>;
