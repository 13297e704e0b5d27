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
