import type { RequestKeyRow } from '../rows.ts';
import type { RequestKeyStatements } from '../statements/request-keys.ts';
import { constraintFailed } from './errors.ts';
import { everyRow, type Handlers, scoped, type Tables } from './schema.ts';

export function requestKeyStatements({
  requestKeys,
  requestKeysByAge,
}: Tables): Handlers<RequestKeyStatements> {
  /** The row, if the driver still performs it. */
  const open = (tenant: number, name: string, driver: number): RequestKeyRow | null => {
    const row = requestKeys.get(scoped(tenant, name));
    return row?.driver === driver && row.answer === null ? row : null;
  };
  const remove = (key: string, { at }: Pick<RequestKeyRow, 'at'>) => {
    requestKeys.delete(key);
    requestKeysByAge.remove(everyRow, { at, key });
  };
  return {
    insertRequestKey({ tenant, ...row }) {
      const key = scoped(tenant, row.name);
      if (requestKeys.get(key)) throw constraintFailed(`a request key ${row.name}`);
      requestKeys.set(key, { ...row, answer: null });
      requestKeysByAge.add(everyRow, { at: row.at, key, tenant });
      return 1;
    },

    findRequestKey: ({ tenant, name }) => requestKeys.get(scoped(tenant, name)),

    passRequestKey({ tenant, name, was, driver }) {
      const row = open(tenant, name, was);
      if (row) requestKeys.set(scoped(tenant, name), { ...row, driver });
      return row ? 1 : 0;
    },

    answerRequestKey({ tenant, name, driver, answer }) {
      const row = open(tenant, name, driver);
      if (row) requestKeys.set(scoped(tenant, name), { ...row, answer });
      return row ? 1 : 0;
    },

    deleteRequestKey({ tenant, name, driver }) {
      const row = open(tenant, name, driver);
      if (row) remove(scoped(tenant, name), row);
      return row ? 1 : 0;
    },

    deleteRequestKeysBefore({ at }) {
      const old = requestKeysByAge.of(everyRow).filter((one) => one.at < at);
      for (const one of old) remove(one.key, one);
      return old.length;
    },

    deleteSurplusRequestKeys({ tenant, owner, keep }) {
      const own = requestKeysByAge.of(everyRow).filter((one) => {
        return one.tenant === tenant && requestKeys.get(one.key)?.owner === owner;
      });
      const surplus = own
        .slice(0, Math.max(0, own.length - keep))
        .filter(({ key }) => requestKeys.get(key)?.answer !== null);
      for (const one of surplus) remove(one.key, one);
      return surplus.length;
    },
  };
}
