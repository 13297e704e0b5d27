import type { DriverStatements } from '../statements/drivers.ts';
import type { Handlers, Tables } from './schema.ts';

export function driverStatements({ drivers }: Tables): Handlers<DriverStatements> {
  return {
    insertDriver({ pid, name, address, token, at }) {
      const epoch = drivers.size + 1;
      const row = { epoch, pid, name, address, token, startedAt: at, endedAt: null, lastError: null };
      drivers.set(epoch, row);
      return { epoch };
    },

    findDriver({ epoch }) {
      const row = drivers.get(epoch);
      return row && { ...row };
    },

    listDrivers() {
      const all = Array.from({ length: drivers.size }, (_, i) => drivers.get(i + 1));
      return all.flatMap((row) => (row?.endedAt === null ? [{ ...row }] : []));
    },

    endDriver({ epoch, at }) {
      const row = drivers.get(epoch);
      if (row?.endedAt !== null) return 0;
      drivers.set(epoch, { ...row, endedAt: at });
      return 1;
    },

    noteDriverError({ epoch, error }) {
      const row = drivers.get(epoch);
      if (!row) return 0;
      drivers.set(epoch, { ...row, lastError: error });
      return 1;
    },
  };
}
