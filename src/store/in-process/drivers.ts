import type { DriverStatements } from '../statements/drivers.ts';
import type { Handlers, Tables } from './schema.ts';

export function driverStatements({ drivers }: Tables): Handlers<DriverStatements> {
  return {
    insertDriver({ pid, at }) {
      const epoch = drivers.size + 1;
      drivers.set(epoch, { epoch, pid, startedAt: at, lastError: null });
      return { epoch };
    },

    findDriver({ epoch }) {
      const row = drivers.get(epoch);
      return row && { ...row };
    },

    noteDriverError({ epoch, error }) {
      const row = drivers.get(epoch);
      if (!row) return 0;
      drivers.set(epoch, { ...row, lastError: error });
      return 1;
    },

    lastDriver() {
      const row = drivers.get(drivers.size);
      return row && { epoch: row.epoch, pid: row.pid };
    },
  };
}
