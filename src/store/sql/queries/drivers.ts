import type { DriverStatements } from '../../statements/drivers.ts';
import type { Queries } from './query.ts';

export const driverQueries = {
  insertDriver: [
    'get',
    (k, p) =>
      k.insertInto('drivers').values({ pid: p.pid, started_at: p.at, last_error: null }).returning('epoch'),
  ],
  findDriver: [
    'get',
    (k, p) =>
      k
        .selectFrom('drivers')
        .select(['epoch', 'pid', 'started_at as startedAt', 'last_error as lastError'])
        .where('epoch', '=', p.epoch),
  ],
  noteDriverError: [
    'run',
    (k, p) => k.updateTable('drivers').set({ last_error: p.error }).where('epoch', '=', p.epoch),
  ],
  lastDriver: [
    'get',
    (k) => k.selectFrom('drivers').select(['epoch', 'pid']).orderBy('epoch', 'desc').limit(1),
  ],
} satisfies Queries<DriverStatements>;
