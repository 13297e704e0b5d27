import type { Kysely } from 'kysely';
import type { DriverStatements } from '../../statements/drivers.ts';
import type { Database } from '../schema.ts';
import type { Queries } from './query.ts';

const drivers = (k: Kysely<Database>) =>
  k
    .selectFrom('drivers')
    .select([
      'epoch',
      'pid',
      'started_at as startedAt',
      'ended_at as endedAt',
      'name',
      'address',
      'token',
      'last_error as lastError',
    ]);

export const driverQueries = {
  insertDriver: [
    'get',
    (k, p) =>
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
  ],
  findDriver: ['get', (k, p) => drivers(k).where('epoch', '=', p.epoch)],
  listDrivers: ['all', (k) => drivers(k).where('ended_at', 'is', null).orderBy('epoch')],
  endDriver: [
    'run',
    (k, p) =>
      k
        .updateTable('drivers')
        .set({ ended_at: p.at })
        .where('epoch', '=', p.epoch)
        .where('ended_at', 'is', null),
  ],
  noteDriverError: [
    'run',
    (k, p) => k.updateTable('drivers').set({ last_error: p.error }).where('epoch', '=', p.epoch),
  ],
} satisfies Queries<DriverStatements>;
