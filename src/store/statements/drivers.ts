import type { Kysely } from 'kysely';
import type { Database } from '../query/database.ts';
import { add, all, change, columnsOf, one } from '../query/query.ts';
import type { DriverRow } from '../rows.ts';

const drivers = (k: Kysely<Database>) => k.selectFrom('drivers').select(columnsOf('drivers'));

/** The processes that drove runs, newest last. */
export const driverStatements = {
  insertDriver: add<
    Pick<DriverRow, 'pid' | 'name' | 'address' | 'token'> & { at: number },
    { epoch: number }
  >((k, p) =>
    k
      .insertInto('drivers')
      .values({
        pid: p.pid,
        started_at: p.at,
        last_error: null,
        name: p.name,
        address: p.address,
        token: p.token,
        ended_at: null,
      })
      .returning('epoch'),
  ),
  findDriver: one<{ epoch: number }, DriverRow>((k, p) => drivers(k).where('epoch', '=', p.epoch), 'share'),
  /** The one that joined last, alive or dead. */
  newestDriver: one<Record<string, never>, Pick<DriverRow, 'epoch'>>((k) =>
    k.selectFrom('drivers').select('epoch').orderBy('epoch', 'desc').limit(1),
  ),
  /** The drivers that have not been declared ended. */
  listDrivers: all<Record<string, never>, DriverRow>((k) =>
    drivers(k).where('ended_at', 'is', null).orderBy('epoch'),
  ),
  /** Says that a driver ended, for ever; 0 if that was known. */
  endDriver: change<{ epoch: number; at: number }>((k, p) =>
    k
      .updateTable('drivers')
      .set({ ended_at: p.at })
      .where('epoch', '=', p.epoch)
      .where('ended_at', 'is', null),
  ),
  /** `error` is a {@link DriverError}, JSON. */
  noteDriverError: change<{ epoch: number; error: string }>((k, p) =>
    k.updateTable('drivers').set({ last_error: p.error }).where('epoch', '=', p.epoch),
  ),
};
