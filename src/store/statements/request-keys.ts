import { change, columnsOf, one, valuesOf } from '../query/query.ts';
import type { RequestKeyRow, Scoped } from '../rows.ts';

type Named = Scoped & { name: string };

/** Keys with which clients repeat requests, and programs commands. */
export const requestKeyStatements = {
  insertRequestKey: change<Scoped & Omit<RequestKeyRow, 'answer'>>((k, p) =>
    k.insertInto('request_keys').values({ ...valuesOf('request_keys', p, ['answer']), answer: null }),
  ),
  findRequestKey: one<Named, RequestKeyRow>(
    (k, p) =>
      k
        .selectFrom('request_keys')
        .select(columnsOf('request_keys'))
        .where('tenant_id', '=', p.tenant)
        .where('name', '=', p.name),
    'no key update',
  ),
  /** Passes a request without an answer from one driver to another; 0 if it has an answer, or is not `was`'s. */
  passRequestKey: change<Named & { was: number; driver: number }>((k, p) =>
    k
      .updateTable('request_keys')
      .set({ driver: p.driver })
      .where('tenant_id', '=', p.tenant)
      .where('name', '=', p.name)
      .where('driver', '=', p.was)
      .where('answer', 'is', null),
  ),
  /** 0 if something was noted before, or the request has an answer. */
  noteRequestKey: change<Named & { effect: string }>((k, p) =>
    k
      .updateTable('request_keys')
      .set({ effect: p.effect })
      .where('tenant_id', '=', p.tenant)
      .where('name', '=', p.name)
      .where('effect', 'is', null)
      .where('answer', 'is', null),
  ),
  /** 0 if the request is not the driver's, or has an answer. */
  answerRequestKey: change<Named & { driver: number; answer: string }>((k, p) =>
    k
      .updateTable('request_keys')
      .set({ answer: p.answer })
      .where('tenant_id', '=', p.tenant)
      .where('name', '=', p.name)
      .where('driver', '=', p.driver)
      .where('answer', 'is', null),
  ),
  /** Deletes a request that has done nothing; 0 if it is not the driver's, or has an effect or an answer. */
  deleteRequestKey: change<Named & { driver: number }>((k, p) =>
    k
      .deleteFrom('request_keys')
      .where('tenant_id', '=', p.tenant)
      .where('name', '=', p.name)
      .where('driver', '=', p.driver)
      .where('effect', 'is', null)
      .where('answer', 'is', null),
  ),
  /** Deletes the keys of every tenant that were made before, but those that are kept as long as a run. */
  deleteRequestKeysBefore: change<{ at: number }>((k, p) =>
    k.deleteFrom('request_keys').where('at', '<', p.at).where('run_pk', 'is', null),
  ),
  /** Deletes all answered keys of an owner but the newest `keep`. */
  deleteSurplusRequestKeys: change<Scoped & { owner: string; keep: number }>((k, p) =>
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
  ),
};
