import type { RequestKeyStatements } from '../../statements/request-keys.ts';
import type { Queries } from './query.ts';

export const requestKeyQueries = {
  insertRequestKey: [
    'run',
    (k, p) =>
      k.insertInto('request_keys').values({
        tenant_id: p.tenant,
        name: p.name,
        owner: p.owner,
        digest: p.digest,
        driver: p.driver,
        answer: null,
        at: p.at,
      }),
  ],
  findRequestKey: [
    'get',
    (k, p) =>
      k
        .selectFrom('request_keys')
        .select(['name', 'owner', 'digest', 'driver', 'answer', 'at'])
        .where('tenant_id', '=', p.tenant)
        .where('name', '=', p.name),
  ],
  passRequestKey: [
    'run',
    (k, p) =>
      k
        .updateTable('request_keys')
        .set({ driver: p.driver })
        .where('tenant_id', '=', p.tenant)
        .where('name', '=', p.name)
        .where('driver', '=', p.was)
        .where('answer', 'is', null),
  ],
  answerRequestKey: [
    'run',
    (k, p) =>
      k
        .updateTable('request_keys')
        .set({ answer: p.answer })
        .where('tenant_id', '=', p.tenant)
        .where('name', '=', p.name)
        .where('driver', '=', p.driver)
        .where('answer', 'is', null),
  ],
  deleteRequestKey: [
    'run',
    (k, p) =>
      k
        .deleteFrom('request_keys')
        .where('tenant_id', '=', p.tenant)
        .where('name', '=', p.name)
        .where('driver', '=', p.driver)
        .where('answer', 'is', null),
  ],
  deleteRequestKeysBefore: ['run', (k, p) => k.deleteFrom('request_keys').where('at', '<', p.at)],
  deleteSurplusRequestKeys: [
    'run',
    (k, p) =>
      k
        .deleteFrom('request_keys')
        .where('tenant_id', '=', p.tenant)
        .where('owner', '=', p.owner)
        .where('answer', 'is not', null)
        .where('name', 'in', (q) =>
          q
            .selectFrom('request_keys')
            .select('name')
            .where('tenant_id', '=', p.tenant)
            .where('owner', '=', p.owner)
            .orderBy('at', 'desc')
            .orderBy('name', 'desc')
            .limit(Number.MAX_SAFE_INTEGER)
            .offset(p.keep),
        ),
  ],
} satisfies Queries<RequestKeyStatements>;
